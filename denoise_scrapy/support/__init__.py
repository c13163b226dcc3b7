"""What every room may use, and what knows nothing of pages, texts or crawls: output, files and state."""
