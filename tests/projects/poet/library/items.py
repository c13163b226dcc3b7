import attrs


@attrs.define
class Chapter:
    url: str
    title: str
    body: str | None = None
