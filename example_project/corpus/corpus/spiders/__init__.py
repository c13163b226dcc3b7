"""Spiders of the corpus."""
