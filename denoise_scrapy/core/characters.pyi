START: str
END: str
LINE_BREAK: str
MARK: int
SPACE: int
OTHER: int
COMMA: int
STOP: int
DIGIT: int
UPPER: int
LETTER: int
CJK: int
CLASSES: int

def without_unseen(text: str) -> str: ...
def fold(text: str) -> str: ...
def letters(text: str) -> str: ...
