"""The page scanner as plainly as possible: one index, the whole page at hand, Python's own tools.

It shares the tables of names and limits with the kernels, and none of their code.
"""

import re
from dataclasses import dataclass, field

from hss_stream.signals import page_state as ps
from hss_stream.signals import tag_names
from hss_stream.signals.entities import BARE, known_entities

SPACES = b"\t\n\f\r "
NAME = re.compile(rb"[^\t\n\f\r />]*")
ATTRIBUTE = re.compile(rb"[^\t\n\f\r />][^\t\n\f\r />=]*")
REFERENCE = re.compile(rb"&(?:#[xX]([0-9a-fA-F]{1,14})|#([0-9]{1,15})|([0-9A-Za-z]{1,8}))")
ENTITIES = known_entities()
MASK = 2**64 - 1
# Names are told apart by their last eight bytes and their length.
FORMATTING = {tag_names.NAMES.index(name) for name in tag_names.FORMATTING_NAMES}
KNOWN = {(name.encode()[-8:], len(name)): tag for tag, name in enumerate(tag_names.NAMES)}


def lower(name: bytes) -> bytes:
    """Return a name as names are compared: bit 5 of every byte set."""
    return bytes(byte | 0x20 for byte in name)


def tag_id(name: bytes) -> int:
    """Return the id of a tag name."""
    key = (lower(name)[-8:], len(name))
    if key in KNOWN:
        return KNOWN[key]
    mixed = tag_names.name_key(name) * 0xFF51AFD7ED558CCD & MASK
    mixed = (mixed ^ mixed >> 32) * 0xC4CEB9FE1A85EC53 & MASK
    number = (mixed >> 32) * tag_names.UNKNOWN_HASHES >> 32
    return 256 + number * 11 + min(len(name), 11) - 1


def code_point(number: int) -> int:
    """Return what a numeric reference stands for."""
    if 128 <= number < 160:
        return ord(bytes([number]).decode("cp1252", "ignore") or chr(number))
    return 0xFFFD if number == 0 or number > 0x10FFFF or 0xD800 <= number < 0xE000 else number


def read_reference(body: bytes, at: int, end: int, *, in_attribute: bool) -> tuple[int, int] | None:
    """Return code point and end of the reference at an ampersand, or None."""
    found = REFERENCE.match(body, at, end)
    # In text a reference that the page ends in stays as written: more might have followed.
    if not found or (found.end() == end and not in_attribute):
        return None
    after = body[found.end() : found.end() + 1] if found.end() < end else b""
    whole = after == b";"
    hexadecimal, decimal, name = found.groups()
    if name is None:
        digits = rb"[0-9a-fA-F]" if hexadecimal else rb"[0-9]"
        if (not whole and found.end() - at > 16) or re.match(digits, after):
            return None
        number = int(hexadecimal, 16) if hexadecimal else int(decimal)
        return code_point(number), found.end() + whole
    value = ENTITIES.get(name)
    if value is None or (after.isalnum() and after.isascii()):
        return None
    if not whole and (not value & BARE or (in_attribute and after == b"=")):
        return None
    return value & 0x1FFFFF, found.end() + whole


def decode_link(value: bytes) -> bytes:
    """Return a link as written, references decoded, white space and NUL cut."""
    out, at = bytearray(), 0
    while at < len(value):
        found = read_reference(value, at, len(value), in_attribute=True) if value[at] == 38 else None
        if found:
            point, at = found
            piece = chr(point).encode()
        else:
            point, piece = value[at], value[at : at + 1]
            at += 1
        if point > 32 or (out and point not in {0, 9, 10, 13}):
            out += piece
    return bytes(out).rstrip(bytes(range(33)))


@dataclass
class SlowPage:
    """Everything the scanner gives, before charsets and repair."""

    markup: bytearray = field(default_factory=bytearray)
    tags: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=lambda: [0] * 11)
    text: bytearray = field(default_factory=bytearray)
    hidden: int = 0
    title: bytes | None = None
    links: list[bytes] = field(default_factory=list)
    base: bytes = b""


class SlowScanner:
    """Scans one whole page."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.page = SlowPage()
        self.at = 0
        self.hidden_tag, self.depth = 0, 0
        self.foreign = 0
        self.raw = 0
        self.title_from: int | None = None

    def scan(self) -> SlowPage:
        """Return what the page gives."""
        while self.at < len(self.body):
            if self.raw:
                self.read_raw()
            elif self.body[self.at] == ord("<"):
                self.read_markup()
            else:
                self.read_text(references=True)
        if self.title_from is not None:
            self.end_title()
        return self.page

    # Text

    def mode(self) -> int:
        """Return what becomes of text here."""
        if 1 <= self.raw <= 5 or (self.raw == tag_names.TITLE and self.title_from is None):
            return ps.SKIP
        return ps.COUNT if self.depth else ps.COPY

    def put(self, piece: bytes, *, is_space: bool = False) -> None:
        """Treat a piece as text; a space after a space or at the beginning is dropped."""
        mode, text = self.mode(), self.page.text
        if mode == ps.COUNT:
            self.page.hidden += 0 if is_space else len(piece)
        elif mode == ps.COPY and not is_space:
            text += piece
        elif mode == ps.COPY and len(text) > (self.title_from or 0) and text[-1] not in b" \n":
            text += b" "

    def read_text(self, *, references: bool) -> None:
        """Read one character of text."""
        byte = self.body[self.at]
        if byte == 38 and references and self.mode() == ps.COPY:
            found = read_reference(self.body, self.at, len(self.body), in_attribute=False)
            if found:
                point, self.at = found
                self.put(chr(point).encode(), is_space=point in {9, 10, 11, 12, 13, 32, 160})
                return
        if byte or self.mode() == ps.COUNT:
            self.put(bytes([byte]), is_space=byte in SPACES)
        self.at += 1

    def break_line(self) -> None:
        """Separate words at the border of a block."""
        text = self.page.text
        if self.mode() == ps.COPY and text:
            if text[-1] in b" \n":
                text[-1:] = b"\n"
            else:
                text += b"\n"

    def end_title(self) -> None:
        """Put the title aside."""
        first = self.title_from
        self.page.title = bytes(self.page.text[first : first + ps.MAX_TITLE])
        del self.page.text[first:]
        self.title_from = None

    # Markup

    def read_markup(self) -> None:
        """Read what `<` begins."""
        found = re.compile(rb"<(/?)(?=[A-Za-z])").match(self.body, self.at)
        rest = self.body[self.at : self.at + 4]
        if found:
            self.at = found.end()
            self.read_tag(is_end=bool(found.group(1)))
        elif rest.startswith(b"</>"):
            self.at += 3
        elif rest == b"<!--":
            self.read_comment()
        elif self.foreign and self.body.startswith(b"<![CDATA[", self.at):
            self.read_cdata()
        elif rest in {b"<", b"</"}:
            self.at = len(self.body)
        elif rest[1:2] in {b"/", b"!", b"?"}:
            self.at = (self.body.find(b">", self.at + 2 - (rest[1:2] == b"?")) + 1) or len(self.body)
        else:
            self.put(b"<")
            self.at += 1

    def read_comment(self) -> None:
        """Read a comment; everything after `<!--` is hidden."""
        start = self.at + 4
        found = re.compile(rb"(?:(?<=<!--)>|(?<=<!---)>|--!?>)").search(self.body, start)
        short = re.compile(rb"-?>").match(self.body, start)
        end = short.end() if short else found.end() if found else len(self.body)
        self.page.hidden += end - start
        self.at = end

    def read_cdata(self) -> None:
        """Read a CDATA section as text."""
        end = self.body.find(b"]]>", self.at + 9)
        text = self.body[self.at + 9 : end if end >= 0 else len(self.body)]
        for byte in text:
            if byte:
                self.put(bytes([byte]), is_space=byte in SPACES)
        self.at = end + 3 if end >= 0 else len(self.body)

    def read_tag(self, *, is_end: bool, name: bytes | None = None) -> None:
        """Read a tag from its name on; one that the page ends in counts only as noise."""
        if name is None:
            name = NAME.match(self.body, self.at).group()
            self.at += len(name)
        tag = tag_id(name)
        if self.at == len(self.body):
            return
        before = len(self.page.markup)
        self.page.markup += b"</" if is_end else b"<"
        attributes, closed, self_closing = self.read_attributes()
        if tag in FORMATTING:
            del self.page.markup[before:]
        if closed:
            self.close_tag(tag, name, is_end=is_end, attributes=attributes, self_closing=self_closing)

    def read_attributes(self) -> tuple[list[tuple[bytes, bytes | None]], bool, bool]:
        """Return names and values up to `>`, whether it came, and whether `/` stood before it."""
        body, found, self_closing = self.body, [], False
        while self.at < len(body):
            byte = body[self.at : self.at + 1]
            if byte == b">":
                self.page.markup += b">"
                self.at += 1
                return found, True, self_closing
            if byte in {b"/", b" ", b"\t", b"\n", b"\f", b"\r"}:
                self_closing = byte == b"/"
                self.page.markup += byte
                self.at += 1
                continue
            self_closing = False
            name = ATTRIBUTE.match(body, self.at).group()
            self.page.markup += name
            self.at += len(name)
            found.append((lower(name), self.read_value()))
        return found, False, False

    def read_value(self) -> bytes | None:
        """Return the value after an attribute name, or None where there is none or the page ends."""
        equals = re.compile(rb"[\t\n\f\r ]*=[\t\n\f\r ]*").match(self.body, self.at)
        if not equals:
            return None
        self.page.markup += equals.group()
        self.at = equals.end()
        quote = self.body[self.at : self.at + 1]
        if quote in {b"", b">"}:
            return None
        if quote in {b'"', b"'"}:
            end = self.body.find(quote, self.at + 1)
            begin, stop = self.at + 1, end if end >= 0 else len(self.body)
            self.page.markup += quote
            self.at = stop + (end >= 0)
        else:
            begin = self.at
            stop = re.compile(rb"[^\t\n\f\r >]*").match(self.body, self.at).end()
            end = -1 if stop == len(self.body) else stop
            self.at = stop
            quote = b""
        value = self.body[begin:stop]
        self.page.markup += value + (quote if end >= 0 else b"")
        return value if end >= 0 else None

    def close_tag(self, tag: int, name: bytes, *, is_end: bool, attributes: list, self_closing: bool) -> None:
        """Take a whole tag: its place in the sequence, and what it begins or ends."""
        page = self.page
        if len(page.tags) < ps.MAX_TAGS:
            page.tags.append(2 * tag + is_end)
        page.lengths[min(len(name), 11) - 1] += 1
        known = tag_names.NAMES[tag] if tag < 256 else ""
        hides = False
        if not is_end:
            hides = self.take_attributes(known, attributes)
        if known in tag_names.BLOCK_NAMES:
            self.break_line()
        self.follow_hidden(tag, known, hides=hides, is_end=is_end, self_closing=self_closing)
        raw = 0 if is_end else tag_names.RAW_KINDS.get(known, 0)
        if raw and (not self.foreign or (raw <= tag_names.STYLE and not self_closing)):
            self.raw = raw
            if raw == tag_names.TITLE and page.title is None and not self.depth:
                self.title_from = len(page.text)
        if known in {"svg", "math"}:
            if is_end:
                self.foreign = max(0, self.foreign - 1)
            elif not self_closing:
                self.foreign += 1

    def take_attributes(self, known: str, attributes: list) -> bool:
        """Take link and base of a start tag; return whether it hides its element."""
        first: dict[bytes, bytes | None] = {}
        for name, value in attributes:
            first.setdefault(name, value)
        wanted = {"a": b"href", "area": b"href", "base": b"href", "iframe": b"src", "frame": b"src"}.get(
            known
        )
        value = first.get(wanted) if wanted else None
        if value is not None and len(value) <= ps.MAX_VALUE:
            link = decode_link(value)
            if link and known != "base":
                if sum(len(one) + 1 for one in self.page.links) + len(value) < ps.MAX_LINKS:
                    self.page.links.append(link)
            elif link and not self.page.base:
                self.page.base = link
        style = lower((first.get(b"style") or b"")[: ps.MAX_VALUE + 1].translate(None, SPACES))
        return b"hidden" in first or b"display:none" in style or b"visibility:hidden" in style

    def follow_hidden(self, tag: int, known: str, *, hides: bool, is_end: bool, self_closing: bool) -> None:
        """Keep account of the hidden element."""
        if self.depth and tag == self.hidden_tag:
            self.depth += -1 if is_end or known in tag_names.SELF_ENDING_NAMES else 1
        hides = hides or (known == "template" and not self.foreign)
        if not self.depth and not is_end and hides and known not in tag_names.VOID_NAMES:
            self.hidden_tag, self.depth = (tag, 1) if not (self.foreign and self_closing) else (0, 0)

    # Raw text

    def read_raw(self) -> None:
        """Read the content of an element that is not markup, with its end tag."""
        body, name = self.body, tag_names.RAW_KINDS
        wanted = next(text for text, kind in name.items() if kind == self.raw).encode()
        end = self.find_raw_end(wanted)
        cut = body
        if end < len(body):
            self.body = body[:end]
        if self.mode() == ps.SKIP:
            self.at = len(self.body)
        while self.at < len(self.body):
            if self.body[self.at :] == b"<":
                # What a last `<` would have begun is not known.
                self.at += 1 if end == len(body) else 0
                if end < len(body):
                    self.read_text(references=False)
            elif self.raw < tag_names.XMP and self.body[self.at] == 38:
                self.read_raw_reference(cut)
            else:
                self.read_text(references=False)
        self.body = cut
        if self.at < len(body):
            if self.title_from is not None:
                self.end_title()
            self.raw = 0
            self.at += 2 + len(wanted)
            self.read_tag(is_end=True, name=body[self.at - len(wanted) : self.at])

    def read_raw_reference(self, whole: bytes) -> None:
        """Read a reference in a title or textarea; the end tag that follows ends it."""
        end, self.body = len(self.body), whole
        found = read_reference(whole, self.at, len(whole), in_attribute=False)
        if found and found[1] > end:
            found = None
        self.read_text(references=True)
        self.body = whole[:end]

    def find_raw_end(self, name: bytes) -> int:
        """Return where the end tag of a raw element begins."""
        if name == b"plaintext":
            return len(self.body)
        ending = rb"</" + name + rb"(?=[\t\n\f\r />])"
        if name != b"script":
            found = re.compile(ending, re.IGNORECASE).search(self.body, self.at)
            return found.start() if found else len(self.body)
        steps = re.compile(rb"<!--(?=(-*>)?)|--+>|<script(?=[\t\n\f\r />])|" + ending, re.IGNORECASE)
        escape, at = 0, self.at
        while found := steps.search(self.body, at):
            step, at = found.group().lower(), found.end()
            if step == b"<!--":
                escape = escape or (0 if found.group(1) else 1)
            elif step.startswith(b"--"):
                escape = 0
            elif step == b"<script":
                escape = 2 if escape else 0
            elif escape == 2:
                escape = 1
            else:
                return found.start()
        return len(self.body)


def slow_page(body: bytes) -> SlowPage:
    """Return what the scanner gives for a page that is UTF-8 or windows-1252 and not compressed."""
    return SlowScanner(body).scan()
