"""Sources of the documentation's pictures, and what its site is built with."""
