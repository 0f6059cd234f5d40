"""Runs too large for `make test`, each a command of its own."""
