"""Without PySpark, which `make archive-test` installs, doctests are not looked for in what imports it."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("pyspark") else ["on_datatrove.py", "on_spark.py"]
