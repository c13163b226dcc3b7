"""Items and the index of texts: what of an item is compared, and what becomes of its text."""
