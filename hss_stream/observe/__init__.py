"""Every metric and log event, spelled once and used through verbs."""
