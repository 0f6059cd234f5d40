"""The typed client of the gateway."""
