"""The genres that the shipped English model is made of, laid out as sources of `train model`.

`python -m hss_stream.lab.english_genres DATA OUT` reads the corpora below DATA (docs/models/faketext.md names
them) and makes OUT: a folder of links to files or a list of pages for each genre. Nothing is copied.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

# Categories of the Brown corpus by the second letter of its files.
BROWN = {"news": "ab", "reviews": "c", "essays": "defgh", "learned": "j", "fiction": "klmnpr"}
# Packages of documentation in French: a model that has learnt some French takes it for its own language.
FRENCH = "-fr"


def text_genres(data: Path) -> Iterator[tuple[str, Path]]:
    """Return every file or folder of text and of mail, with the genre it belongs to."""
    for year in ("2014", "2015"):
        yield "wiki", data / f"text-enwiki{year}"
    for genre, letters in BROWN.items():
        for letter in letters:
            for path in sorted((data / "text-nltk" / "brown").glob(f"c{letter}[0-9]*")):
                yield genre, path
    for part in ("training", "test"):
        yield "reuters", data / "text-nltk" / "reuters" / part
    for name in ("rural.txt", "science.txt"):
        yield "abc", data / "text-nltk" / "abc" / name
    for name in ("overheard", "pirates", "singles", "wine"):
        yield "webtext", data / "text-nltk" / "webtext" / name
    yield "europarl", data / "text-europarl" / "europarl.en.txt"
    yield "mail", data / "email-spamassassin" / "easy-ham-1"
    yield "newsletters", data / "email-spamassassin" / "hard-ham-1"


def page_genres(data: Path) -> Iterator[tuple[str, str, Path]]:
    """Return every page of documentation in English and of the web: genre, address, path."""
    for genre, folder in (("docs", data / "pages-debian-docs"), ("web", data / "pages-web")):
        with (folder / "labels.jsonl").open(encoding="utf-8") as lines:
            for label in map(json.loads, lines):
                package = label.get("package", "")
                if package.endswith(FRENCH):
                    continue
                address = label.get("url") or f"file:///{package or label['file']}/{label['file']}"
                yield genre, address, folder / label["file"]


def lay_out(data: Path, out: Path) -> None:
    """Make the folders and lists of all genres below a folder that does not exist yet."""
    out.mkdir(parents=True)
    for genre, path in text_genres(data):
        folder = out / genre
        folder.mkdir(exist_ok=True)
        files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
        for file in files:
            name = "-".join((path.name, *file.relative_to(path).parts))
            (folder / name).symlink_to(file.resolve())
    lists: dict[str, list[str]] = {}
    for genre, address, path in page_genres(data):
        lists.setdefault(genre, []).append(json.dumps({"url": address, "path": str(path.resolve())}))
    for genre, lines in lists.items():
        (out / f"{genre}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]), Path(sys.argv[2]))
