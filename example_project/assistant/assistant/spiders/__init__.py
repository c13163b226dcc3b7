"""Spiders of the assistant."""
