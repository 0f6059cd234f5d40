"""The language model that comes with the package, loaded once a process and shared through the page cache."""

from functools import lru_cache
from pathlib import Path

from hss_stream.models.ngram_file import FILE_NAME, ModelFile, read_model

SHIPPED = Path(__file__).parent / "data" / "model-en" / FILE_NAME


@lru_cache(maxsize=4)
def load_model(path: Path | None = None) -> ModelFile:
    """Return the model in a file; without a path the shipped English one."""
    return read_model(path or SHIPPED)
