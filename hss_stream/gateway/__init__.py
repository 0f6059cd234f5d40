"""The HTTP look-up service."""
