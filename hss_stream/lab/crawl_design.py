"""Designs: a pen and a choice of blocks, which together are one template."""

import random
from dataclasses import dataclass
from functools import lru_cache

from hss_stream.lab import crawl_blocks_report, crawl_blocks_tune
from hss_stream.lab.crawl_content import Block, Content, Toolbox
from hss_stream.lab.crawl_pen import Pen, make_pen
from hss_stream.lab.crawl_prose import Half

TOOLBOXES: dict[Half, Toolbox] = {"tune": crawl_blocks_tune.TOOLBOX, "report": crawl_blocks_report.TOOLBOX}


@dataclass(frozen=True, slots=True)
class Design:
    """One template; pages differ in text, length, optional boxes and, where the pen varies, in attributes."""

    pen: Pen
    head: Block
    menu: Block
    body: Block
    asides: tuple[Block, ...]
    foot: Block
    shuffles: bool

    def render(self, content: Content, chance: random.Random) -> bytes:
        """Return the page as UTF-8 bytes."""
        middle = [self.menu, self.body, *(aside for aside in self.asides if chance.random() < 0.6)]
        if self.shuffles:
            chance.shuffle(middle)
        blocks = (self.head, *middle, self.foot)
        return "\n".join(block(self.pen, content, chance) for block in blocks).encode()


@lru_cache(maxsize=512)
def make_design(half: Half, seed: str, *, manual: bool = False, vary: float = 0.0) -> Design:
    """Return the template of a seed; with `vary` above 0 also the order of its blocks changes by page."""
    chance = random.Random(f"design/{half}/{seed}")
    box = TOOLBOXES[half]
    return Design(
        pen=make_pen(half, seed, vary=vary),
        head=chance.choice(box.heads),
        menu=chance.choice(box.menus),
        body=chance.choice(box.manuals if manual else box.bodies),
        asides=tuple(chance.sample(box.asides, chance.randint(1, len(box.asides)))),
        foot=chance.choice(box.feet),
        shuffles=vary > 0,
    )
