"""Benches: each `bench_NAME.py` yields rows that compare us with a baseline in the same run."""
