LXML: str
LIBXML2: str
HAS_CONTROLS: int
EMBEDS: int
HAS_LISTS: int
HAS_DEFINITIONS: int
ENDS_BREAKS: int
HAS_LATE: int
HAS_FRAMES: int

def look(html: bytes) -> int: ...
def without_controls(html: bytes) -> bytes: ...
def is_too_large(html: bytes) -> bool: ...
def text_alone(html: bytes) -> bytes: ...
