"""Training of the models that come with the package: a development tool, not part of the package."""

import os

# One thread per process: sums are the same for any number of processes, and processes do not compete for cores.
# Must be set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
