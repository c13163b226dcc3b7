"""Settings of all tests."""

from hypothesis import settings

# Machines that run tests are slow at times; time is measured in benchmarks. The same examples in each run: what passed
# passes again, and `make explore` looks for new ones, a hundred times as many.
settings.register_profile("denoise", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("explore", deadline=None, max_examples=3000)
# Under other versions the first of the same examples hold for the most part: `noxfile.py`.
settings.register_profile("compat", deadline=None, derandomize=True, max_examples=10)
settings.load_profile("denoise")
