"""Pages for trials of the stream: templates drawn at random, large bodies in parts, producers that die."""

import random

Page = tuple[str, bytes | None, dict[str, str]]

# A body in parts spans this many records, so that some body is unfinished nearly always.
SPREAD = 60


def template(number: int) -> str:
    """Return a page of a template of its own: the marks inside its tags are drawn at random."""
    rng = random.Random(number)
    rows = ("".join(rng.choices("#%&()*+,-./:;=?@[]^_{|}~", k=24)) for _ in range(80))
    return "<html><body>" + "".join(f"<td data-x='{marks}'>word</td>" for marks in rows)


def make_pages(count: int, templates: int = 20) -> list[Page]:
    """Return pages of a few templates on domains of their own."""
    bodies = [template(number) for number in range(templates)]
    return [
        (f"http://site{n}.example/", bodies[n % templates].replace("word", f"w{n}").encode(), {})
        for n in range(count)
    ]


def parts_of(url: str, body: bytes, body_id: str, parts: int) -> list[Page]:
    """Return a body as ordered parts."""
    size = -(-len(body) // parts)
    return [
        (url, body[n * size : (n + 1) * size], {"body_id": body_id, "part": str(n), "parts": str(parts)})
        for n in range(parts)
    ]


def trial_pages(count: int, templates: int, large_every: int = 100) -> tuple[list[Page], int, int]:
    """Return records, how many attachments and how many dead letters they give.

    Among plain pages there are large ones whose parts lie among other records and among each other's
    parts, and producers that die after the second part and begin again with a new body.
    """
    plain = make_pages(count, templates)
    keyed: list[tuple[float, int, Page]] = [(float(n), 0, page) for n, page in enumerate(plain)]
    letters = large = 0
    for n in range(0, max(count - 4 * SPREAD, 1), large_every):
        large += 1
        url = f"http://large{n}.example/"
        body = template(n % templates).replace("word", f"large{n}").encode()
        start = float(n)
        if large % 3 == 0:
            dead = parts_of(url, body, "dead", 3)[:2]
            keyed += [(start + step * SPREAD / 3, 1, part) for step, part in enumerate(dead)]
            start += SPREAD
            letters += 1
        keyed += [
            (start + step * SPREAD, 1, part) for step, part in enumerate(parts_of(url, body, "whole", 3))
        ]
    keyed.sort(key=lambda entry: entry[:2])
    return [page for _, _, page in keyed], count + large, letters
