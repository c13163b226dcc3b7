"""The README's table of what was run: `python -m tests.compat.table` prints what `make compat` left behind.

`--record` keeps it in `ran.json` and renews the README's table, which a test compares.
"""

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RAN = ROOT / ".nox" / "ran"
RECORD = Path(__file__).with_name("ran.json")
README = ROOT / "README.md"
RENEW = "make compat && python -m tests.compat.table --record"
COLUMNS = ("Scrapy", "Twisted", "lxml", "numpy")
BEGIN, END = "<!-- what `make compat` ran -->\n", "<!-- end -->\n"
Ran = Mapping[str, Mapping[str, Any]]


def found() -> dict[str, Any]:
    """What the sessions have left behind, by their names."""
    files = sorted(RAN.glob("*.json"), key=lambda file: (file.stem.startswith("lowest"), file.stem))
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def recorded() -> dict[str, Any]:
    """What was kept."""
    ran: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return ran


def table(ran: Ran) -> str:
    """A row for each session."""
    heads = ("Python", "versions of the rest", *COLUMNS, "arrays by", "tests passed")
    rows = [heads, ["---"] * len(heads)]
    for name, one in ran.items():
        rest = "the newest" if name.startswith("newest") else "the lowest we name"
        versions = (one["versions"][column.lower()] for column in COLUMNS)
        rows.append([one["Python"], rest, *versions, one["accelerator"], _passed(one)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _passed(one: Mapping[str, Any]) -> str:
    failed = one["failed"] + one["error"]
    return f"{one['passed']:,}" + (f", {failed} FAILED" if failed else "")


def readme_with(text: str, ran: Ran) -> str:
    """The README with the table between its marks."""
    return re.sub(f"(?<={BEGIN}).*?(?={END})", lambda _: "\n" + table(ran) + "\n", text, flags=re.DOTALL)


def main() -> None:
    """Print the table, or keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="keep it, and renew the README's table")
    ran = found()
    print(table(ran), end="")
    if parser.parse_args().record:
        RECORD.write_text(json.dumps(ran, indent=1) + "\n", encoding="utf-8")
        README.write_text(readme_with(README.read_text(encoding="utf-8"), ran), encoding="utf-8")


if __name__ == "__main__":
    main()
