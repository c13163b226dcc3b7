"""The project of `docs/language-models.md`."""
