"""Training of the block model: `python -m training --corpora DIR`; a development tool, not part of the package."""
