"""What is remembered: protocols, the Redis store and its in-memory twin."""
