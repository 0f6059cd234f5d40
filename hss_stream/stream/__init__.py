"""Kafka through Faust: wire records, topics, transports, agents."""
