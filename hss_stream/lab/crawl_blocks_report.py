"""Markup blocks of the half that figures are reported on: sections, cards, page builders, generators."""

import random

from hss_stream.lab.crawl_content import Content, Toolbox, anchors
from hss_stream.lab.crawl_pen import Pen


def head_social(p: Pen, c: Content, r: random.Random) -> str:
    """Return a head full of cards for other services."""
    cards = "".join(
        p("meta", f"card{n}", r, f'property="og:{key}"') for n, key in enumerate(("title", "type", "url"))
    )
    return (
        f'<!doctype html><html class="no-js"><head><meta charset=utf-8>{cards}<title>{c.title}</title>'
        f"{p('script', 'boot', r, 'async')}</script></head>{p('body', 'root', r)}"
    )


def head_generator(p: Pen, c: Content, r: random.Random) -> str:
    """Return the head of a documentation generator: relations to other pages."""
    relations = "".join(
        f'<link rel="{k}" title="{c.title}" href="{k}.html" />' for k in ("index", "search", "next")
    )
    return (
        f'<!DOCTYPE html><html><head><meta http-equiv="X-UA-Compatible" content="IE=Edge" /><title>{c.title} &#8212; '
        f"{c.site}</title>{p('link', 'theme', r, 'type=text/css')}{relations}</head>{p('body', 'wrapper', r)}"
    )


def head_bare(p: Pen, c: Content, r: random.Random) -> str:
    """Return next to nothing."""
    return (
        f"{p('html', 'h', r)}{p('title', 't', r)}{c.title}</title>{p('meta', 'viewport', r, 'name=viewport')}"
    )


def menu_sections(p: Pen, c: Content, r: random.Random) -> str:
    """Return the menu in a header with nested navigation."""
    entries = "".join(f"{p('div', 'entry', r)}{anchors(p, (link,), 'go', r)}<i></i></div>" for link in c.menu)
    return (
        f"{p('header', 'masthead', r)}{p('nav', 'primary', r)}{p('button', 'burger', r)}<span></span></button>"
        f"{entries}</nav></header>"
    )


def menu_drop(p: Pen, c: Content, r: random.Random) -> str:
    """Return the menu as a select with options."""
    options = "".join(
        f'{p("option", "choice", r, f"""value="{href}" """)}{text}</option>' for href, text in c.menu
    )
    return f"{p('section', 'jump', r)}{p('select', 'target', r)}{options}</select>{p('a', 'ok', r, 'href=#')}ok</a></section>"


def menu_crumbs(p: Pen, c: Content, r: random.Random) -> str:
    """Return the menu as bread crumbs in an ordered list."""
    crumbs = "".join(
        f"{p('li', 'crumb', r)}<span>{anchors(p, (link,), 'crumb', r)}</span></li>&#187;" for link in c.menu
    )
    return f'{p("ol", "crumbs", r)}{crumbs}</ol>{p("h1", "brand", r)}{p("svg", "mark", r)}<path d="M0,0"/></svg>{c.site}</h1>'


def body_cards(p: Pen, c: Content, r: random.Random) -> str:
    """Return paragraphs as cards in a grid."""
    cards = "".join(
        f'{p("section", "card", r)}{p("picture", "shot", r)}<source srcset="/{n}.webp 2x"><img loading=lazy></picture>'
        f"{p('h3', 'cardtitle', r)}{anchors(p, ((f'/read/{n}', c.title),), 'more', r)}</h3><div>{text}</div></section>"
        for n, text in enumerate(c.paragraphs)
    )
    return f"{p('main', 'grid', r)}{cards}</main>{_link_block(p, c, r)}"


def body_builder(p: Pen, c: Content, r: random.Random) -> str:
    """Return paragraphs as widgets of a page builder, five divisions deep."""
    widgets = "".join(
        f"{p('div', 'row', r)}{p('div', 'col', r)}{p('div', 'wrap', r)}{p('div', 'widget', r)}"
        f"{p('div', 'inner', r)}{text}</div></div></div></div></div>"
        for text in c.paragraphs
    )
    return f"{p('div', 'canvas', r)}{p('h2', 'hero', r)}{c.title}</h2>{widgets}</div>{_link_block(p, c, r)}"


def body_story(p: Pen, c: Content, r: random.Random) -> str:
    """Return a story with a lead, a byline and notes."""
    notes = "".join(f'{p("sup", "note", r)}<a href="#n{n}">[{n}]</a></sup>' for n in range(2))
    rest = "".join(f"{p('p', 'story', r)}{text}</p>" for text in c.paragraphs[1:])
    lead = c.paragraphs[0] if c.paragraphs else ""
    return (
        f"{p('main', 'story', r)}<header>{p('h1', 'head', r)}{c.title}</h1>{p('address', 'byline', r)}{c.author}</address>"
        f"</header>{p('strong', 'lead', r)}{lead}</strong>{notes}{rest}</main>{_link_block(p, c, r)}"
    )


def body_wiki(p: Pen, c: Content, r: random.Random) -> str:
    """Return sections with a table of contents and edit marks."""
    toc = "".join(
        f'{p("li", "toc", r)}<a href="#s{n}"><span>{n}</span></a></li>' for n in range(len(c.paragraphs))
    )
    parts = "".join(
        f'<h2>{p("span", "sect", r, f"id=s{n}")}{text.split()[0]}</span>{p("span", "edit", r)}[<a href="?edit={n}">edit</a>]'
        f"</span></h2><p>{text}</p>"
        for n, text in enumerate(c.paragraphs)
    )
    return f"{p('div', 'wiki', r)}{p('ul', 'toclist', r)}{toc}</ul>{parts}</div>{_link_block(p, c, r)}"


def body_letter(p: Pen, c: Content, r: random.Random) -> str:
    """Return a page written in a word processor."""
    text = "".join(
        f"{p('p', 'normal', r)}{p('span', 'run', r)}{t}<o:p></o:p></span></p>" for t in c.paragraphs
    )
    return (
        f"{p('div', 'section', r)}{p('p', 'title', r)}<b>{c.title}</b></p>{text}</div>{_link_block(p, c, r)}"
    )


def manual_tree(p: Pen, c: Content, r: random.Random) -> str:
    """Return a page of a manual: a tree of contents, definitions with signatures."""
    tree = "".join(
        f'{p("li", "toctree", r)}<a class="reference internal" href="#{name}"><code><span>{name}</span></code></a></li>'
        for name in c.code
    )
    parts = "".join(
        f"<dl>{p('dt', 'sig', r, f'id=m.{name}')}<code>{name}</code><span>(</span><em>x=None</em><span>)</span>"
        f'<a href="#m.{name}">&#182;</a></dt>{p("dd", "desc", r)}<p>{text}</p></dd></dl>'
        for name, text in zip(c.code, c.paragraphs, strict=False)
    )
    return f"{p('div', 'sidebar', r)}<ul>{tree}</ul></div>{p('div', 'document', r)}{parts}</div>"


def manual_frames(p: Pen, c: Content, r: random.Random) -> str:
    """Return a class description with summaries in nested tables and comments between."""
    rows = "".join(
        f"<tbody><tr>{p('th', 'kind', r)}<code>{name}</code></th>{p('td', 'summary', r)}<code>"
        f"{anchors(p, ((f'../{name}.html#x--', name),), 'member', r)}&nbsp;()</code><div>{text.split()[0]}</div></td></tr></tbody>"
        for name, text in zip(c.code, c.paragraphs, strict=False)
    )
    text = "".join(
        f"<!-- ========= -->{p('ul', 'blocklist', r)}<li><h4>{t}</h4></li></ul>" for t in c.paragraphs
    )
    return f"{p('table', 'overview', r)}<caption><span>{c.title}</span></caption>{rows}</table>{text}"


def aside_quote(p: Pen, c: Content, r: random.Random) -> str:
    """Return a quotation beside the text."""
    return f"{p('aside', 'pull', r)}{p('q', 'said', r)}{c.title}</q>{p('cite', 'who', r)}{c.author}</cite></aside>"


def aside_map(p: Pen, c: Content, r: random.Random) -> str:
    """Return a frame with a map and a details box."""
    return f"{p('details', 'where', r)}<summary>{c.site}</summary>{p('iframe', 'map', r, 'src=/map')}</iframe></details>"


def aside_share(p: Pen, c: Content, r: random.Random) -> str:
    """Return buttons to share the page."""
    buttons = "".join(f'{p("button", "share", r)}<svg><use href="#i-{n}"/></svg></button>' for n in range(3))
    return f"{p('div', 'sharing', r)}{buttons}<small>{c.date}</small></div>"


def foot_legal(p: Pen, c: Content, r: random.Random) -> str:
    """Return a footer with legal links."""
    return f"{p('footer', 'legal', r)}<small>{anchors(p, c.menu[:3], 'fine', r, ' &middot; ')}</small></footer></body></html>"


def foot_data(p: Pen, c: Content, r: random.Random) -> str:
    """Return a footer with data for scripts."""
    return f"{p('template', 'state', r)}<b>{c.site}</b></template>{p('script', 'app', r, 'defer')}</script></html>"


def foot_none(p: Pen, c: Content, r: random.Random) -> str:
    """Return a thin line."""
    return f"{p('hr', 'end', r)}{p('small', 'made', r)}{c.site}, {c.date}</small>"


def _link_block(p: Pen, c: Content, r: random.Random) -> str:
    """Return the out-links as a block of paragraphs; nothing where there are none."""
    if not c.links:
        return ""
    lines = "".join(f"{p('div', 'ref', r)}{anchors(p, (link,), 'away', r)}<wbr></div>" for link in c.links)
    return f"{p('nav', 'refs', r)}{lines}</nav>"


TOOLBOX = Toolbox(
    heads=(head_social, head_generator, head_bare),
    menus=(menu_sections, menu_drop, menu_crumbs),
    bodies=(body_cards, body_builder, body_story, body_wiki, body_letter),
    manuals=(manual_tree, manual_frames),
    asides=(aside_quote, aside_map, aside_share),
    feet=(foot_legal, foot_data, foot_none),
)
