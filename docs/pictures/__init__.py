"""Pictures drawn from results of the code: `python -m docs.pictures` writes docs/images/*.svg."""
