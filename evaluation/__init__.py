"""Common ground of `benchmarks` and `training`: recorded pages with their truth, floors, tables of figures."""
