"""Files and servers that outlive the process. Knows nothing of pages, texts or crawls."""

from denoise_scrapy.storage.sqlite_file import FileKind, StoreMismatch, connect, connect_to_read
from denoise_scrapy.storage.whole_file import replacing, replacing_path

__all__ = ["FileKind", "StoreMismatch", "connect", "connect_to_read", "replacing", "replacing_path"]
