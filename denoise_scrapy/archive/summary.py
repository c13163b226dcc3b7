"""What a run has found, as figures and as a page of HTML that stands alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - as all of Spark's examples

from denoise_scrapy.archive.records import PROBLEMS
from denoise_scrapy.shown import figures_page, figures_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Sites of the least sure bodies: so many, each of some pages, for one odd page says nothing of its site.
_SITES, _PAGES_OF_A_SITE = 20, 5


def figures_of(pages: DataFrame, results: DataFrame, bad: DataFrame) -> dict[str, Any]:
    """Figures of a run: records as they were read, bodies with their verdicts, bad records."""
    html = F.sum("bytes").alias("bytes")
    read = pages.agg(F.count("*").alias("records"), html).collect()[0]
    like = [F.count(f"{name}_of").alias(f"{name}s") for name in ("duplicate", "variant")]
    total = results.agg(F.count("*").alias("pages"), F.countDistinct("site").alias("sites"), *like).collect()[0]
    evidence = F.concat_ws(
        ", ", "evidence", F.when(F.col("fallback") != F.col("evidence"), F.nullif("fallback", F.lit("")))
    )
    of_site = results.groupBy("site").agg(F.count("*").alias("pages"), F.avg("confidence").alias("confidence"))
    unsure = of_site.where(F.col("pages") >= _PAGES_OF_A_SITE).orderBy("confidence", "site").limit(_SITES).collect()
    problems = _counts(bad, F.col("problem"))
    return {
        "records": read["records"],
        "bytes": read["bytes"] or 0,
        "pages": total["pages"],
        "sites": total["sites"],
        "duplicates": total["duplicates"],
        "variants": total["variants"],
        "bad records": sum(problems.values()),
        "keys": next((row["keys"] for row in results.select("keys").limit(1).collect()), ""),
        "evidence": _counts(results, evidence),
        "problems": problems,
        "least sure": [[row["site"], row["pages"], round(row["confidence"], 3)] for row in unsure],
    }


def _counts(table: DataFrame, column: Any) -> dict[str, int]:
    rows = table.groupBy(column.alias("name")).agg(F.count("*").alias("times")).collect()
    return {row["name"]: row["times"] for row in sorted(rows, key=lambda row: (-row["times"], row["name"]))}


def summary_page(figures: Mapping[str, Any], options: Mapping[str, Any], seconds: Mapping[str, float]) -> str:
    """The page."""
    total = [
        ["records", figures["records"]],
        ["bytes of HTML", figures["bytes"]],
        ["pages with a body", figures["pages"]],
        ["sites", figures["sites"]],
        ["near-duplicates", figures["duplicates"]],
        ["variants, which are kept", figures["variants"]],
        ["bad records", figures["bad records"]],
    ]
    problems = [[name, PROBLEMS.get(name, ""), times] for name, times in figures["problems"].items()]
    none = [["none"]]
    tables = [
        figures_table(total, title="The archive"),
        figures_table(figures["evidence"].items(), ("evidence", "bodies"), "What bodies rest on"),
        figures_table(problems or none, ("problem", "", "records"), "Bad records"),
        figures_table(figures["least sure"] or none, ("site", "pages", "mean confidence"), "Least sure bodies"),
        figures_table(seconds.items(), ("stage", "seconds"), "Time"),
        figures_table([*options.items(), ("keys of candidates", figures["keys"])], title="Made with"),
    ]
    return figures_page("Archive", tables)
