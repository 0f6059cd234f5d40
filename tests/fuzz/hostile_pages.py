"""Pages nobody writes by hand: pieces of markup, whole and cut, random bytes, one piece a thousand times."""

import gzip
import random

NAMES = (
    b"a base iframe script style title textarea xmp plaintext svg math template div p li td b br x-y "
    b"blockquote a-name-that-is-much-longer-than-the-sixty-four-bytes-of-a-step-of-the-scanner path"
).split()
WHOLE = [
    b"<!--", b"-->", b"--!>", b"<![CDATA[", b"]]>", b"<!doctype html>", b"<?xml?>", b"&amp;", b"&#x1F600;",
    b"&#" + b"1" * 20, b"&notin;", b"<!--<script>", b"</script", b"\0", b"\xef\xbb\xbf", b"\xe9",
    b"'" * 50, b"<" * 50, b"&nbsp;", b"&lt", b"&eacute;", b"&abcdefgh;", b"&abcdefghi;", b" " * 70,
    b"word" * 20,
]  # fmt: skip
ATTRIBUTES = [
    b' href="x&amp;y"', b" src=//h/p", b" hidden", b" style='display : none'", b" =", b" a=b", b"/",
    b" HREF=''", b' href="http://h.example/a/b?c=d#e"', b" href='/" + b"x" * 80 + b"'", b' class="a b"',
    b' id="', b" data-x='", b' =""', b' "="', b"\thref = ' /x\n'", b' href="/\xc3\xa9"', b' title=">"',
]  # fmt: skip
CONTENT_TYPES = [
    None,
    *(
        f"text/html; charset={name}"
        for name in ("utf-8", "utf-16", "gb2312", "shift_jis", "iso-8859-5", "no")
    ),
]


def make_tag(chance: random.Random) -> bytes:
    """Return a tag, often broken."""
    attributes = b"".join(chance.choices(ATTRIBUTES, k=chance.randrange(4)))
    end = chance.choice((b">", b">", b">", b"/>", b"", b" "))
    return chance.choice((b"<", b"<", b"</")) + chance.choice(NAMES) + attributes + end


def make_piece(chance: random.Random) -> bytes:
    """Return a piece of a page."""
    kind = chance.randrange(8)
    if kind < 4:
        return make_tag(chance)
    if kind < 6:
        return chance.choice(WHOLE)
    if kind == 6:
        return chance.randbytes(chance.randrange(12))
    return chance.choice((b"word ", b"\n \t", b"&", b"=\"'", b";")) * chance.randrange(1, 5)


def make_page(chance: random.Random) -> bytes:
    """Return a hostile page, now and then with one piece repeated at length."""
    pieces = [make_piece(chance) for _ in range(chance.randrange(1, 60))]
    if chance.randrange(50) == 0:
        pieces[chance.randrange(len(pieces))] *= chance.randrange(200, 3000)
    return b"".join(pieces)


def make_wrapped(chance: random.Random, body: bytes) -> bytes:
    """Return a page as servers send it: compressed, cut, or in a charset of two bytes."""
    kind = chance.randrange(5)
    if kind == 0:
        return gzip.compress(body, 1)[: chance.choice((None, -3, 20))]
    if kind == 1:
        return b"\xff\xfe" + body.decode("latin-1").encode("utf-16-le")
    if kind == 2:
        return b"\xfe\xff" + body.decode("latin-1").encode("utf-16-be")
    return chance.choice((b"\xef\xbb\xbf", b"<meta charset=euc-jp>", b"\x1f\x8b")) + body


def split(body: bytes, chance: random.Random) -> list[bytes]:
    """Return a page in chunks of any size."""
    chunks, at = [], 0
    while at < len(body):
        size = chance.choice((1, 2, 7, 63, 64, 65, 100, 5000, 8192, len(body)))
        chunks.append(body[at : at + size])
        at += size
    return chunks
