"""Which document a reference means: by path relative to the document, by path end, by number, by title."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Protocol
from urllib.parse import unquote, urlsplit

from gnomon.lifecycle.sidecars import INDEX_STEMS, is_index_page

_INLINE_LINK = re.compile(r"\[(?P<text>.*)\]\((?P<target>.*)\)$", re.DOTALL)
_URL = re.compile(r"[a-zA-Z][\w+.-]{1,20}://|mailto:|www\.")
_REPOSITORY_PATH = re.compile(r"/(?:blob|tree|raw|src/branch|-/blob|-/tree)/[^/]+/(?P<path>.+)")
_SUFFIXES = ("", ".md", ".rst", ".adoc", ".markdown", ".mdx", ".txt", ".mediawiki", ".org", ".html")
_INDEX_PAGES = ("/README.md", "/index.md", "/README.rst", "/index.rst", "/README.adoc")
_NUMBERED = re.compile(r"(?P<prefix>[A-Za-z][A-Za-z]*(?:-[A-Za-z]+)?)?[\s_#.:-]*0*(?P<number>\d{1,6})(?![^\W_]|%)")
_DATED = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_TITLE_NUMBER = re.compile(r"^\s*(?:[A-Za-z]{2,10}[\s_#-]*)?\d{1,6}\s*[-.:)–—|]*\s*")
# Kinds of numbered documents: "ADR 7" may mean "0007-tokens.md" or "decision-7.md", never "pep-0007.rst".
_KINDS = frozenset({"adr", "decision", "record", "dec", "rfc", "doc", "document", "proposal", "no", "nr", "number"})
_FOREIGN_KINDS = frozenset({"pep", "bip", "eip", "erc", "cip", "cps", "kep", "rep", "jep", "xep", "se", "st", "pip"})


class Located(Protocol):
    """What looking up needs of a document."""

    @property
    def id(self) -> int:
        """In the store."""
        ...

    @property
    def folder(self) -> str:
        """Root of its folder."""
        ...

    @property
    def path(self) -> str:
        """Relative to the folder."""
        ...

    @property
    def title(self) -> str:
        """As indexed, or ""."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """What a reference means.

    Attributes:
        ids: Documents; several where it is ambiguous, none where nothing fits.
        is_external: It leaves the indexed folders (a web address).
        is_pointer: It is a link, a path or a number, not a phrase that may be a title.
    """

    ids: tuple[int, ...] = ()
    is_external: bool = False
    is_pointer: bool = True


class Targets:
    """Looks references up among documents; references never cross folders."""

    def __init__(self, documents: Sequence[Located]) -> None:
        self._documents = {each.id: each for each in documents}
        self._by_path = {(each.folder, each.path): each.id for each in documents}

    def path(self, document_id: int) -> str:
        """Relative path of a document."""
        return self._documents[document_id].path

    def find(self, source: Located, written: str) -> Found:
        """What a reference written in ``source`` means.

        Args:
            source: The document that holds the reference.
            written: A path, an inline link, a number with or without its kind, a title.
        """
        link = _INLINE_LINK.match(written.strip())
        target, text = (link["target"], link["text"]) if link else (written.strip(), written.strip())
        if _URL.match(target):
            return Found(self._by_url(source, target), is_external=True)
        target = unquote(re.sub(r"[#?].*$", "", target, flags=re.DOTALL)).strip()
        found = self._by_place(source, target) or self._by_slug(source, target) if target else ()
        for number_in in (text, PurePosixPath(target).stem):
            found = found or self._by_number(source, number_in)
        found = found or self._by_title(source, text)
        is_pointer = bool(link or re.fullmatch(r"\S*[/.]\w{1,9}\S*|\D{0,14}\d{1,6}", written.strip()))
        return Found(tuple(dict.fromkeys(found)), is_pointer=is_pointer)

    # -- by place -----------------------------------------------------------------------------------------------

    def _by_place(self, source: Located, target: str) -> tuple[int, ...]:
        near = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), target.lstrip("/")))
        root = posixpath.normpath(target.lstrip("/"))
        bases = (root, near) if target.startswith("/") else (near, root)
        for base in bases:
            for suffix in (*_SUFFIXES, *_INDEX_PAGES):
                document = self._by_path.get((source.folder, base + suffix))
                if document is not None:
                    return (document,)
            if base.endswith(".html") and (document := self._by_path.get((source.folder, base[:-5] + ".md"))):
                return (document,)
        return self._by_end(source, root)

    def _by_end(self, source: Located, path: str) -> tuple[int, ...]:
        parts = [each.casefold() for each in PurePosixPath(path).parts if each not in {"..", "."}]
        if parts and is_index_page(parts[-1]):
            del parts[-1]  # the page of a folder goes by the folder's name
        if not parts:
            return ()
        stem = _fold(PurePosixPath(parts[-1]).stem if _has_suffix(parts[-1]) else parts[-1])
        fits = [
            each
            for each in self._by_stem.get((source.folder, stem), ())
            if [part.casefold() for part in PurePosixPath(self.path(each)).parts[-len(parts) : -1]] == parts[:-1]
            or len(parts) == 1
        ] or list(self._by_stem.get((source.folder, stem), ()))
        return self._nearest(source, [each for each in fits if each != source.id])

    def _by_slug(self, source: Located, target: str) -> tuple[int, ...]:
        """By the words of a file name whose number changed: "0036-trusted-tasks.html" is "0037-trusted-tasks.md"."""
        slug = _slug(PurePosixPath(target).stem if _has_suffix(target) else PurePosixPath(target).name)
        if slug.count("-") < 1:
            return ()
        return self._nearest(
            source, [each for each in self._by_words.get((source.folder, slug), ()) if each != source.id]
        )

    def _by_url(self, source: Located, url: str) -> tuple[int, ...]:
        match = _REPOSITORY_PATH.search(urlsplit(url).path)
        if not match:
            return ()
        parts = PurePosixPath(unquote(match["path"])).parts
        for start in range(len(parts)):
            if start and start == len(parts) - 1 and is_index_page(parts[start]):
                break  # the page of some folder of a repository that may be another
            for suffix in ("", *(_INDEX_PAGES if "." not in parts[-1] else ())):
                document = self._by_path.get((source.folder, "/".join(parts[start:]) + suffix))
                if document is not None:
                    return (document,)
        return ()

    # -- by name ------------------------------------------------------------------------------------------------

    def _by_number(self, source: Located, text: str) -> tuple[int, ...]:
        match = _NUMBERED.match(text.strip().lstrip("#[("))
        if not match or _DATED.match(text.strip()):
            return ()
        wanted = (match["prefix"] or "").casefold()
        fits = [
            each
            for prefix, each in self._by_count.get((source.folder, int(match["number"])), ())
            if each != source.id and _kinds_agree(wanted, prefix, is_acronym=(match["prefix"] or "").isupper())
        ]
        return self._nearest(source, fits)

    def _by_title(self, source: Located, text: str) -> tuple[int, ...]:
        title = fold_title(text)
        fits = [each for each in self._by_name.get((source.folder, title), ()) if each != source.id] if title else []
        return self._nearest(source, fits)

    def _nearest(self, source: Located, fits: list[int]) -> tuple[int, ...]:
        """Of several documents those nearest to the source in the tree, and of those the ones of its own suffix."""
        if len(fits) <= 1:
            return tuple(fits)
        here = PurePosixPath(source.path).parent.parts
        distances = {each: _distance(here, PurePosixPath(self.path(each)).parent.parts) for each in fits}
        nearest = [each for each in fits if distances[each] == min(distances.values())]
        suffixes = "".join(PurePosixPath(source.path).suffixes[-2:])
        same = [each for each in nearest if "".join(PurePosixPath(self.path(each)).suffixes[-2:]) == suffixes]
        return tuple(same or nearest)

    @cached_property
    def _by_stem(self) -> dict[tuple[str, str], list[int]]:
        table = defaultdict(list)
        for each in self._documents.values():
            table[each.folder, _fold(_stem(each.path))].append(each.id)
        return dict(table)

    @cached_property
    def _by_words(self) -> dict[tuple[str, str], list[int]]:
        table = defaultdict(list)
        for each in self._documents.values():
            table[each.folder, _slug(_stem(each.path))].append(each.id)
        return dict(table)

    @cached_property
    def _by_count(self) -> dict[tuple[str, int], list[tuple[str, int]]]:
        table = defaultdict(list)
        for each in self._documents.values():
            for prefix, number in _numbers(each):
                table[each.folder, number].append((prefix, each.id))
        return dict(table)

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[int]]:
        table = defaultdict(list)
        for each in self._documents.values():
            if each.title:
                table[each.folder, fold_title(each.title)].append(each.id)
        return dict(table)


def fold_title(title: str) -> str:
    """A title without number, case and punctuation: "ADR-0007: Tokens!" and "7. tokens" are "tokens"."""
    bare = _TITLE_NUMBER.sub("", title)
    return " ".join(re.findall(r"\w+", (bare if re.search(r"\w", bare) else title).casefold()))


def _numbers(document: Located) -> Iterator[tuple[str, int]]:
    for text in (_stem(document.path), document.title):
        match = _NUMBERED.match(text)
        if match and not _DATED.match(text) and (text is not document.title or _TITLE_NUMBER.match(text)):
            prefix = (match["prefix"] or "").casefold()
            if prefix.rpartition("-")[2] != "v":  # "notes-v3" is a version of the notes
                yield prefix, int(match["number"])
            return


def _kinds_agree(wanted: str, prefix: str, *, is_acronym: bool) -> bool:
    if not wanted or wanted == prefix:
        return True
    if not prefix:
        return wanted in _KINDS or is_acronym
    return wanted in _KINDS and prefix not in _FOREIGN_KINDS and (prefix in _KINDS or wanted == "adr")


def _stem(path: str) -> str:
    place = PurePosixPath(path)
    stem = place.stem if _has_suffix(place.name) else place.name
    return place.parent.name if stem.casefold() in INDEX_STEMS and place.parent.name else stem


def _has_suffix(name: str) -> bool:
    return PurePosixPath(name).suffix.casefold() in {*_SUFFIXES[1:], ".htm", ".docx", ".pdf", ".odt", ".asciidoc"}


def _slug(stem: str) -> str:
    match = _NUMBERED.match(stem)
    return _fold(stem[match.end() :] if match else stem).strip("-")


def _fold(stem: str) -> str:
    return re.sub(r"[\s_-]+", "-", stem.casefold())


def _distance(here: tuple[str, ...], there: tuple[str, ...]) -> int:
    common = 0
    for one, other in zip(here, there, strict=False):
        if one != other:
            break
        common += 1
    return len(here) + len(there) - 2 * common
