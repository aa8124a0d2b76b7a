"""Intervals, tests and corrections over per-query values; each module is one question."""
