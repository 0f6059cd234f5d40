"""Lexicons and n-gram models as memory-mapped files: format, checks, shipped defaults."""
