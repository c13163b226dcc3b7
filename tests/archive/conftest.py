"""Without PySpark, which `make archive-test` installs, modules that import it are not searched for doctests."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("pyspark") else ["on_datatrove.py", "on_spark.py"]
