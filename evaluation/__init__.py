"""Ground that `benchmarks` and `training` share: recorded pages with their truth, floors, tables of figures."""
