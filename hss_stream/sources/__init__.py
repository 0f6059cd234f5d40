"""Readers of directories, archives and mail; hostile input is expected."""
