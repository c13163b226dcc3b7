"""Measurements: quality of the bodies, cost, and the floors that CI holds."""

import os

# One thread: idle threads of matrix products spin, and their processor time would count as ours (twice the cost of a
# body was measured so). To be set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
