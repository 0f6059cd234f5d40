"""Tests, oracles and benches of hss_stream."""
