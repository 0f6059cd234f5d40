"""The error tree: the type of an error decides the fate of a page.

HssError
├── BadPageError     the page is at fault    → dead letter, commit, go on
├── SourceError      a file cannot be read   → reported, the others go on
├── ModelError       a lexicon or model file is cut, foreign or corrupted → refuse to start
├── StoreError       Redis is at fault       → retry, do not commit
├── StreamError      Kafka is at fault       → retry, do not commit
└── SettingsError    we were told nonsense   → refuse to start

A message says what was being done, what is wrong and what to do, in one line.
"""


class HssError(Exception):
    """Base of everything this program raises on purpose."""


class BadPageError(HssError):
    """The page cannot be read, whoever tries."""


class SourceError(HssError):
    """A file or a record of a source cannot be read."""


class ModelError(HssError):
    """A lexicon or model file is not what it claims to be."""


class StoreError(HssError):
    """Redis did not answer as promised; retrying may help."""


class StreamError(HssError):
    """Kafka did not answer as promised; retrying may help."""


class SettingsError(HssError):
    """A setting is unknown or makes no sense."""
