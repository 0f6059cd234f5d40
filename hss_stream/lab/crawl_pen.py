"""Pens: how one author (or one program) writes tags.

A pen fixes, for every role on a page (`nav`, `post`, `widget` …), which attributes its tags carry and how
they look: names with dashes or underscores, quotes, inline styles, data attributes, microdata. Two pages
written with one pen share their style however their text differs; two pens share next to nothing.
Schools of pens are split into halves.
"""

import random
from dataclasses import dataclass, field

from hss_stream.lab.crawl_prose import Half

# Each attribute is written as it stands; # becomes digits of the page, @ a word of the role.
_BEM = ('class="@__#"', 'class="@ @--is-#"', 'data-@-id="#"', 'id="@_#"', 'data-js="@:#"')
_TABLE = (
    'bgcolor="#@"',
    'width="#%"',
    'align="@"',
    'cellpadding="#"',
    "border=#",
    'valign="@"',
    'height="#px"',
)
_MICRODATA = ('itemprop="@"', 'itemscope itemtype="https://schema.org/@"', 'class="@ @-#"', 'property="og:@"',
              'rel="@"', 'content="@, #"')  # fmt: skip
_HAND = ('class="@"', 'name="@#"', "title='@'", 'style="color: @"', "id='@'")
_FORUM = ('class="@#"', "onclick=\"return @('#');\"", 'id="@-#"', 'title="@ &raquo; #"', 'style="width:#px;"')
_UTILITY = ('class="md:@-# lg:@-# p-[#px]"', 'class="@-#/# hover:@-#"', 'class="-@-# space-y-#"', 'x-data="{@: #}"',
            'x-on:click="@ = !@"', ':class="{\'@\': @}"')  # fmt: skip
_BUILDER = ('data-id="@#"', 'data-element_type="@.#"', 'data-settings=\'{"@":"#","@_#":"@"}\'',
            'class="e-@ e-@-# e--@"', 'style="--@-#: #px; --@: #;"')  # fmt: skip
_LEGACY = ("color=#@", 'face="@, @, @-@"', "size=+#", "class=@", 'style="mso-@-#:#.0pt;font-@:@"', "lang=@-@")
_ARIA = (
    'aria-label="@ #"',
    'role="@"',
    'aria-hidden="@"',
    'tabindex="-#"',
    'aria-controls="@:#:@"',
    'class="@·#"',
)
_GENERATOR = ('class="@ @"', 'href="#@.@#"', 'title="@::@"', 'id="@.@-#"', 'accesskey="@"', 'class="@-@1"')

SCHOOLS: dict[Half, tuple[tuple[str, ...], ...]] = {
    "tune": (_BEM, _TABLE, _MICRODATA, _HAND, _FORUM),
    "report": (_UTILITY, _BUILDER, _LEGACY, _ARIA, _GENERATOR),
}


@dataclass(slots=True)
class Pen:
    """One author's habits; `vary` is the chance that a tag of a page departs from them."""

    seed: str
    school: tuple[str, ...]
    vary: float = 0.0
    _roles: dict[str, str] = field(default_factory=dict)

    def __call__(self, tag: str, role: str, chance: random.Random, extra: str = "") -> str:
        """Return the opening tag of a role, with what the page adds."""
        habit = self._roles.get(role)
        if habit is None:
            habit = self._roles[role] = self._invent(role)
        if self.vary and chance.random() < self.vary:
            habit = f"{habit} {_write(self.school[int(chance.random() * len(self.school))], role, chance)}"
        joined = f"{extra} {habit}" if extra and habit else extra or habit
        return f"<{tag} {joined}>" if joined else f"<{tag}>"

    def _invent(self, role: str) -> str:
        """Return the attributes this author gives a role: none to three of the school."""
        chance = random.Random(f"{self.seed}/{role}")
        count = chance.choice((0, 1, 1, 2, 2, 3))
        return " ".join(_write(pattern, role, chance) for pattern in chance.sample(self.school, count))


def _write(pattern: str, role: str, chance: random.Random) -> str:
    """Return an attribute with its marks replaced: # digits, @ a word made from the role."""
    number = str(int(chance.random() * 900) + 1)
    return pattern.replace("#", number).replace("@", role)


def make_pen(half: Half, seed: str, *, school: int | None = None, vary: float = 0.0) -> Pen:
    """Return the pen of a seed; the school is drawn unless given."""
    schools = SCHOOLS[half]
    chance = random.Random(f"pen/{seed}")
    drawn = int(chance.random() * len(schools)) if school is None else school % len(schools)
    return Pen(f"{half}/{seed}", schools[drawn], vary)
