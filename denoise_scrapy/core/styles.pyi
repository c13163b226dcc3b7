from lxml.etree import _Element

PROPERTIES: tuple[tuple[str, int, int, str | float | None], ...]
WORD: int
MOVING: int
FUNCTION: int
ARGUMENTS: int
MASK: int
COLOUR: int
BACK: int
PICTURE: int
FAINT: int
SMALL: int
SIZE: int
RELATIVE: int
FAR: int
MARGIN: int
ACROSS: int
ROOMY: int
ONLY: int
ANY_EDGE: int
P_DISPLAY: int
P_VISIBILITY: int
P_OPACITY: int
P_TEXT_SIZE: int
P_COLOUR: int
P_BACKGROUND: int
P_POSITION: int
P_OFFSET: int
P_INDENT: int
P_MARGIN: int
P_TRANSFORM: int
P_CLIP: int
P_HEIGHT: int
P_WIDTH: int
P_OVERFLOW: int
P_MOVES: int
P_TEXT_CLIP: int
P_FIXED: int
P_BEYOND: int
P_PUSHED: int
P_ROOM: int
P_RELATIVE: int
P_AHEAD: int
P_LINES: int

def styles_of(root: _Element) -> tuple[bytes, bool, bool]: ...

class StyleSheet:
    def __init__(self, text: bytes, is_all: bool, is_still: bool = False) -> None: ...
