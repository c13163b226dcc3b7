"""The project of `docs/corpus.md`."""
