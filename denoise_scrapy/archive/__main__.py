"""Bodies and near-duplicates of an archive: `python -m denoise_scrapy.archive IN... OUT`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from denoise_scrapy.archive.page_rows import CELL, SCOPES
from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES
from denoise_scrapy.body.fields import FIELDS, META
from denoise_scrapy.metadata.annotations import LIBRARIES
from denoise_scrapy.support.shown import counted, report, say

_NO_JAVA = "needs Java 17, which is not found: apt-get install openjdk-17-jre-headless"
_NO_EXTRA = "needs {}, which is not installed: pip install denoise-scrapy[archive]"
_AGAIN = "the same command resumes after the last complete stage"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    args = _parser().parse_args(arguments)
    wants_meta = any(FIELDS[name].wants == META for name in args.field)
    try:
        for library in ("pyspark", "fastwarc", "pandas", *(LIBRARIES if wants_meta else ())):
            import_module(library)
        from denoise_scrapy.archive.run import Run, session  # noqa: PLC0415 - an extra
    except ImportError as error:
        return _failed(_NO_EXTRA.format(error.name))
    path = str(Path(os.environ["JAVA_HOME"], "bin")) if os.environ.get("JAVA_HOME") else None
    if "PYSPARK_GATEWAY_PORT" not in os.environ and shutil.which("java", path=path) is None:
        return _failed(_NO_JAVA)
    options = {name: getattr(args, name) for name in ("cell", "slices", "strategy", "scope", "url")}
    options["inputs"] = [name if "://" in name else str(Path(name).absolute()) for name in args.inputs]
    options["fields"] = [name for name in FIELDS if name in args.field]  # in one order, for a resumed run
    try:
        run = Run(args.out, options)
        total = run.total
        if total is None:
            spark = session(args.master, args.out)
            try:
                total = run.finish(spark)
            finally:
                with suppress(Exception):  # Java may have exited
                    spark.stop()
        else:
            report(f"{args.out} is finished")
    except (ValueError, OSError) as error:
        return _failed(error)
    except KeyboardInterrupt:
        return _failed(f"stopped; {_AGAIN}")
    except Exception as error:  # a task failed too often, or Java exited
        return _failed(f"{str(error).strip().splitlines()[0]}; {_AGAIN}")
    pages = counted(total["pages with a body"], "page")
    sites = counted(total["sites"], "site")
    others = f"{counted(total['near-duplicates'], 'near-duplicate')}, {counted(total['bad records'], 'bad record')}"
    say(f"{pages} of {sites}, {others}: {args.out.rstrip('/')}/run.json")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m denoise_scrapy.archive", description=__doc__.partition(":")[0])
    inputs = "WARC, JSON lines (url, html, date), Parquet or HTML: files, folders, patterns, URLs such as s3a://"
    address = "address of a folder of HTML files; default: the address that each page declares"
    option = parser.add_argument
    option("inputs", metavar="IN", nargs="+", help=inputs)
    option("out", metavar="OUT", help="folder for the results; a stopped run is resumed")
    option("--master", default="local[*,4]", help="default: local[*,4]: all cores, up to four attempts at a task")
    option("--cell", type=_number, default=CELL, help=f"pages per cell of a larger site (default: {CELL})")
    option("--slices", type=_number, default=1, help="parts of the archive, by site, sorted one at a time (default: 1)")
    option("--strategy", choices=tuple(STRATEGIES), default=DEFAULT_STRATEGY)
    option("--scope", choices=SCOPES, default=SCOPES[0], help="where to search for near-duplicates")
    given: Any = {"action": "append", "default": [], "choices": FIELDS, "metavar": "NAME"}
    option("--field", **given, help=f"also write this field: {', '.join(FIELDS)}")
    option("--url", metavar="URL", default="", help=address)
    return parser


def _number(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return value


def _failed(why: object) -> int:
    report(f"python -m denoise_scrapy.archive: {why}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
