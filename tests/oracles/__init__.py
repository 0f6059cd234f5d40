"""Slow, obvious versions of the fast algorithms: the definitions, written plainly."""
