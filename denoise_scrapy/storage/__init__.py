"""Files that outlive the process. Knows nothing of pages, texts or crawls."""

from denoise_scrapy.storage.sqlite_file import FileKind, StoreMismatch, connect

__all__ = ["FileKind", "StoreMismatch", "connect"]
