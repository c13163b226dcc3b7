"""Pictures drawn from results of the code, for docs/images/; `python -m docs.generate` writes them."""
