"""Pictures of how it works, drawn from what the code computes: `python -m docs.pictures` writes docs/images/*.svg."""
