"""The project with a table of `docs/existing-project.md`."""
