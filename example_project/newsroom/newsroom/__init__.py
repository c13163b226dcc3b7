"""The project of `docs/newsroom.md`."""
