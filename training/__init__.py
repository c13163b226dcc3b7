"""Training of the models that come with the package: a tool for development, no part of the package."""

import os

# One thread a process: sums come out the same in whatever number of processes, and two processes do not hinder
# each other. To be set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
