"""Measurements: quality of the bodies, cost, and the floors that CI holds."""
