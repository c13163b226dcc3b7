HAS_CONTROLS: int
EMBEDS: int

def look(html: bytes) -> int: ...
