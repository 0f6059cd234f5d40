"""What a page says, before anybody writes it down as markup."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from hss_stream.lab.crawl_pen import Pen

Link = tuple[str, str]  # address, text


@dataclass(frozen=True, slots=True)
class Content:
    """Title, text and links of one page; `menu` is the same on every page of a site."""

    site: str
    title: str
    paragraphs: tuple[str, ...]
    menu: tuple[Link, ...] = ()
    links: tuple[Link, ...] = ()
    author: str = ""
    date: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    code: tuple[str, ...] = ()


Block = Callable[[Pen, Content, random.Random], str]


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The blocks a half builds its designs from; no block is in both halves."""

    heads: tuple[Block, ...]
    menus: tuple[Block, ...]
    bodies: tuple[Block, ...]
    manuals: tuple[Block, ...]
    asides: tuple[Block, ...]
    feet: tuple[Block, ...]


def anchors(pen: Pen, links: tuple[Link, ...], role: str, chance: random.Random, between: str = " ") -> str:
    """Return links as anchors of one role."""
    return between.join(
        f'{pen("a", role, chance, f"""href="{href}" """.strip())}{text}</a>' for href, text in links
    )
