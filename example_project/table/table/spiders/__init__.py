"""Spiders of the table."""
