"""For language models: documents and chunks for their loaders, and tools for agents."""
