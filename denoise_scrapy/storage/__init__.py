"""Files and servers that outlive the process."""

from denoise_scrapy.storage.back_off import BackOff
from denoise_scrapy.storage.redis_link import without_password
from denoise_scrapy.storage.sqlite_file import FileKind, StoreMismatch, connect, connect_to_read
from denoise_scrapy.storage.whole_file import replacing, replacing_path

__all__ = [
    "BackOff",
    "FileKind",
    "StoreMismatch",
    "connect",
    "connect_to_read",
    "replacing",
    "replacing_path",
    "without_password",
]
