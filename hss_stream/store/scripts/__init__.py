"""The scripts of the Redis store: one file an atomic act, its contract in its head.

Each is loaded with `common.lua` before it. They are called by their hash; a server that has forgotten
them (restart, SCRIPT FLUSH) gets them again.
"""

from hashlib import sha1
from importlib.resources import files

NAMES = (
    "acknowledge", "apply", "bury", "drain", "find_dead", "link", "meet", "meet_providers", "note_sites",
    "pin", "save_provider", "source_number", "sweep_sites", "take", "trim", "trim_providers", "unindex",
)  # fmt: skip


def script_texts() -> dict[str, bytes]:
    """Return the whole text of each script, ready to load."""
    folder = files(__name__)
    common = folder.joinpath("common.lua").read_bytes()
    return {name: b"#!lua\n" + common + folder.joinpath(f"{name}.lua").read_bytes() for name in NAMES}


def script_hashes(texts: dict[str, bytes]) -> dict[str, bytes]:
    """Return the hash by which the server knows each script."""
    return {name: sha1(text, usedforsecurity=False).hexdigest().encode() for name, text in texts.items()}
