"""Settings of all tests."""

from hypothesis import settings

# Machines that run tests are slow at times; time is measured in benchmarks.
settings.register_profile("denoise", deadline=None)
settings.load_profile("denoise")
