"""Settings of all tests."""

from hypothesis import settings

# Machines that run tests are slow at times; time is measured in benchmarks.
settings.register_profile("denoise", deadline=None)
# Under other versions the same examples hold for the most part: `noxfile.py`.
settings.register_profile("compat", deadline=None, max_examples=20)
settings.load_profile("denoise")
