"""hss_stream: recognise machine-made pages and mail in a live stream, and say why."""

__version__ = "0.1.0"
