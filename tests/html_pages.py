"""Plain HTML of numbered templates, for tests that need real pages: drifting markup, varying words."""

import random


def html_page(template: int, page: int, drift: float = 0.3) -> str:
    """Return a page of a template; a share of its blocks is its own."""
    style, own = random.Random(template), random.Random(template * 1_000_003 + page)
    blocks = []
    for _ in range(40):
        chance = own if own.random() < drift else style
        tag = chance.choice(["div", "p", "li", "td", "span", "section", "em"])
        attributes = " ".join(_attribute(chance) for _ in range(chance.randrange(1, 4)))
        words = " ".join(own.choice(["spam", "ham", "egg", "tea", "milk", "bread"]) for _ in range(6))
        blocks.append(f"<{tag} {attributes}>{words}</{tag}>")
    return f"<!doctype html><html><body>{''.join(blocks)}</body></html>"


def _attribute(chance: random.Random) -> str:
    name, mark = chance.choice(["class", "id", "style", "data-x"]), "-_;:. "[chance.randrange(6)]
    return f'{name}="{mark * chance.randrange(1, 4)}"'
