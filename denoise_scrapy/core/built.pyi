LXML: str
LIBXML2: str
