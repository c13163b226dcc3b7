"""A field of a body is declared once: items, tables, JSON and the docs have it from there."""

import json
import subprocess
import sys
from pathlib import Path

from pyarrow import parquet
from scrapy.settings import Settings

from denoise_scrapy import extract
from denoise_scrapy.body.fields import FIELDS, META, NO_SETTINGS, field_of
from denoise_scrapy.commands import run
from denoise_scrapy.metadata import Metadata
from denoise_scrapy.settings import DenoiseSettings

# Declares a field, and prints what each output has of it.
ADDED = """
import sys
from denoise_scrapy.body.fields import FIELDS, Field

FIELDS["letters"] = Field(
    "letters", "how many letters the text has", float, made=lambda body, _: sum(map(str.isalpha, body.text))
)

from denoise_scrapy.archive import bodies
from denoise_scrapy.archive.__main__ import _parser
from denoise_scrapy.commands import run
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.worker.extractor import Extractor, PageSource, Wish
from docs.generate import fields_table, settings_table

page = "<h1>Storm</h1><p>It rained all night, and the river rose.</p>"
assert run(["extract", "-", "--format", "json", "--field", "letters"], {}) == 0
given = {"site": "a", "url": "http://a.example/", "html": page}
print(*(row["letters"] for row in bodies([given], fields=["letters"])))
print(*_parser().parse_args(["in", "out", "--field", "letters"]).field)
extractor = Extractor(DenoiseSettings.from_settings({"DENOISE_FIELDS": {"letters": "size"}}), 1_000_000)
extractor.read(PageSource(1, "http://a.example/", page.encode()))
print(extractor.extract(1, Wish()).fields["size"])
print("how many letters" in fields_table(), "letters" in settings_table())
"""


def test_a_field_is_declared_once() -> None:
    page = "<h1>Storm</h1><p>It rained all night, and the river rose.</p>"
    made = [sys.executable, "-c", ADDED]
    root = Path(__file__).parent.parent
    done = subprocess.run(made, input=page, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    extracted, *others = done.stdout.splitlines() or [done.stderr]
    letters = sum(map(str.isalpha, "StormIt rained all night, and the river rose."))
    assert json.loads(extracted)["letters"] == letters
    assert others == [f"{letters}", "letters", f"{letters}", "True True"]


def test_all_metadata_are_fields() -> None:
    assert {name for name, field in FIELDS.items() if field.wants == META} == {*Metadata.__dataclass_fields__, META} - {
        "title"
    }


def test_values_are_of_the_kinds_that_tables_expect() -> None:
    head = (
        '<title>Storm</title><meta name=author content="Ann Reed"><meta property="article:content_tier" content=locked>'
    )
    body = extract(f"{head}<h1>Storm</h1><p>It rained all night.<a href=/s?page=2>2</a>", "http://a.example/s")
    for field in FIELDS.values():
        value = field.of(body, NO_SETTINGS)
        if field.kind is object:
            assert json.loads(json.dumps(value)) == value or field.name == META, field.name
        elif field.kind is list:
            assert isinstance(value, list) and all(isinstance(one, str) for one in value), field.name
        else:
            assert isinstance(value, field.kind), field.name


def test_short_names_are_those_fields() -> None:
    assert [field_of(name).name for name in ("author", "lang", "text")] == ["authors", "language", "body"]


def test_short_names_in_settings_are_those_fields() -> None:
    given = {"DENOISE_FIELDS": {"author": "by"}, "DENOISE_ADAPTERS": {"author": "json.dumps"}}
    read = DenoiseSettings.from_settings(Settings(given))
    assert read.item_fields == {"body": "body", "authors": "by"}
    assert [*read.adapters] == ["authors"]


def test_dicts_of_each_page_are_json_in_parquet(tmp_path: Path) -> None:
    for number, no_number in enumerate(["NaN", "1e999"]):
        data = f'{{"@type": "Article", "key{number}": {no_number}}}'
        page = f"<script type=application/ld+json>{data}</script><p>The lock keeper wrote down each boat.</p>"
        (tmp_path / f"{number}.html").write_text(page)
    assert run(["extract", str(tmp_path), "--field", "structured", "-o", str(tmp_path / "made.parquet")], {}) == 0
    rows = parquet.read_table(tmp_path / "made.parquet").to_pylist()
    assert [json.loads(row["structured"], parse_constant=float)["json-ld"] for row in rows] == [
        [{"@type": "Article", f"key{number}": None}] for number in range(2)
    ]
