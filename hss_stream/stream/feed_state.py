"""How far a feed has come, in a small file that survives `kill -9`.

Per partition: the offset from which on Kafka may hold records of the feed that the file does not know
of, and the last position known to have arrived there. The rest is read back from Kafka.
"""

import json
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hss_stream.errors import SourceError
from hss_stream.stream.feed_record import Position

FORMAT = 1
BEFORE_ALL: Position = (-1, -1)


@dataclass
class FeedState:
    """One feed: its name, what it reads, and how far each partition has got."""

    topic: str
    sources: list[str]
    feed: str = field(default_factory=lambda: secrets.token_hex(8))
    offsets: dict[int, int] = field(default_factory=dict)
    arrived: dict[int, Position] = field(default_factory=dict)

    def has_arrived(self, partition: int, position: Position) -> bool:
        """Tell whether that record is in Kafka: a partition receives a feed in order, without gaps."""
        return position <= self.arrived.get(partition, BEFORE_ALL)

    def note(self, partition: int, offset: int, position: Position) -> None:
        """Note that a record has arrived."""
        self.offsets[partition] = max(offset + 1, self.offsets.get(partition, 0))
        self.arrived[partition] = max(position, self.arrived.get(partition, BEFORE_ALL))

    def save(self, path: Path) -> None:
        """Write the file in one step: a reader sees the old or the new one, never half of it."""
        scratch = path.with_name(f"{path.name}.new")
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(json.dumps({"format": FORMAT, **asdict(self)}))
        scratch.replace(path)


def load_state(path: Path, topic: str, sources: list[str]) -> FeedState:
    """Return the state of an interrupted feed, or raise SourceError that says why it cannot go on."""
    try:
        fields = json.loads(path.read_text())
        if fields["format"] != FORMAT:
            raise SourceError(
                f"resuming from {path}: its format is not {FORMAT}; start anew without --resume"
            )
        state = FeedState(
            fields["topic"],
            fields["sources"],
            fields["feed"],
            {int(partition): int(offset) for partition, offset in fields["offsets"].items()},
            {int(partition): (int(at[0]), int(at[1])) for partition, at in fields["arrived"].items()},
        )
    except FileNotFoundError:
        raise SourceError(f"resuming from {path}: there is no such file; start without --resume") from None
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise SourceError(f"resuming from {path}: it is not the state of a feed ({error!r})") from error
    if (state.topic, state.sources) != (topic, sources):
        raise SourceError(f"resuming from {path}: it is the state of another feed, of {state.sources}")
    return state
