"""Everything people have on their disks, through the whole product: found by its word, or listed with its reason.

The odd files made by ``tests.fakes.odd_files`` are always there; the larger set is read where it is present.
"""

from __future__ import annotations

import json
import os
import re
import resource
import tarfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.values import SkipReason
from tests.e2e.conftest import Program
from tests.fakes.odd_files import OddFile, lay_out, odd_paths

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(600)]

_MOST_BYTES = 1_000_000_000
_MOST_CPU_SECONDS = 120
# What the last column of the list says must be found, and words for rows that name none of these.
_WORD = re.compile(r"((?:wombat|numbat|quokka)\d+)(?! no)")
_NAMED = {
    "encodings/sjis.csv": ["佐藤太郎"],
    "text/latin1-umlauts.md": ["Prüfung"],
    "text/shift_jis.md": ["検索エンジン"],
    "text/euc_kr.md": ["검색"],
    "text/coding-cookie.py": ["prüfe_wombat13"],
    "text/fullwidth.md": ["ガイド"],
    "text/table-5000.md": ["row4999"],
}
# Rows where the list leaves it open: one NUL byte, and a file that another tool's rules would hide.
_EITHER = {"text/nul-inside.md", "names/sub/ignored.md"}


@dataclass(frozen=True)
class Indexed:
    """One folder after its first and its second run.

    Attributes:
        program: With the index.
        root: The folder.
        first: JSON summary of the first run.
        second: Of the second, with nothing changed.
        status: ``status --skipped --json`` after the first run.
        again: The same after the second.
        cpu_seconds: Of the first run and its workers.
        peak_bytes: Largest process of the first run.
    """

    program: Program
    root: Path
    first: dict[str, Any]
    second: dict[str, Any]
    status: dict[str, Any]
    again: dict[str, Any]
    cpu_seconds: float
    peak_bytes: int

    @property
    def skipped(self) -> dict[str, str]:
        """Reason of each file that is not indexed, by path."""
        return {row["path"]: row["reason"] for row in self.status["skippedFiles"]}

    def corpus(self) -> closing[Corpus]:
        """The same index, opened in this process."""
        home = self.program.home
        config = load_config(home / "config" / "gnomon" / "config.json")
        return closing(Corpus(replace(config, index_dir=home / "data" / "gnomon" / "index")))


@pytest.fixture(scope="session")
def made(shared_program: Callable[[str], Program]) -> tuple[Indexed, list[OddFile]]:
    """The odd files, indexed once for all tests."""
    program = shared_program("odd")
    root = program.home / "odd"
    root.mkdir()
    files = lay_out(root)
    return _indexed(program, root), files


@cache
def _listed(archive: Path, programs: Callable[[str], Program]) -> tuple[Indexed, dict[str, tuple[str, str]]]:
    program = programs("ugly")
    with tarfile.open(archive) as tar:
        tar.extractall(program.home, filter="fully_trusted")  # links out of the folder are part of the test
    root = program.home / "ugly"
    # Names hold every line end but this one.
    rows = (line.split("\t") for line in (root / "LIST.tsv").read_bytes().decode().split("\n")[1:] if line)
    expected = {_unescaped(row[0]): (row[1], row[4]) for row in rows}
    (root / "LIST.tsv").unlink()
    return _indexed(program, root), expected


@pytest.fixture
def listed(shared_eval: Path, shared_program: Callable[[str], Program]) -> tuple[Indexed, dict[str, tuple[str, str]]]:
    """The larger set, indexed once, and what its list says of each file: what is odd, what is expected."""
    return _listed(shared_eval / "ugly.tar.gz", shared_program)


def _unescaped(name: str) -> str:
    r"""A name of the list as the system has it: it spells line ends, tabs and bytes that are no UTF-8 with \\."""
    raw = re.sub(r"\\x([0-9a-f]{2})", lambda match: chr(0xDC00 + int(match[1], 16)), name)
    return raw.replace("\\n", "\n").replace("\\t", "\t")


def _indexed(program: Program, root: Path) -> Indexed:
    program("add", str(root))
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    first = _summary(program("index").stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{root.name}: {time.monotonic() - begun:.0f} s, {cpu_seconds:.0f} CPU-s, {after.ru_maxrss / 1000:.0f} MB")  # noqa: T201
    status = _status(program)
    second = _summary(program("index").stdout)
    return Indexed(program, root, first, second, status, _status(program), cpu_seconds, after.ru_maxrss * 1024)


def _summary(output: str) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return summary


def _status(program: Program) -> dict[str, Any]:
    status: dict[str, Any] = json.loads(program("status", "--skipped", "--json").stdout)
    return status


def _found(corpus: Corpus, word: str, *, search_all: bool = False) -> set[str]:
    """Paths of all files that a question for one word brings back whose passage has it."""
    base = corpus.search_options(search_all=search_all)
    # What is superseded stands behind its successor, wherever that is.
    options = replace(base, k=200 if search_all else 5, filters=replace(base.filters, search_all=search_all))
    hits = corpus.search(word, options).hits
    return {hit.path for hit in hits if word in unicodedata.normalize("NFKC", hit.text)}


# -- the files made here -----------------------------------------------------------------------------------------------
def test_every_made_file_is_found_or_listed(made: tuple[Indexed, list[OddFile]]) -> None:
    """Each by its word, on its line; each of the others with its reason; and no word in two files."""
    indexed, files = made
    wrong: list[tuple[str, object]] = []
    with indexed.corpus() as corpus:
        for file in files:
            if file.reason and indexed.skipped.get(file.name) != file.reason:
                wrong.append((file.name, indexed.skipped.get(file.name)))
            if file.word and _found(corpus, file.word) != {file.name}:
                wrong.append((file.name, _found(corpus, file.word)))
    assert wrong == []


def test_word_is_on_its_line(made: tuple[Indexed, list[OddFile]]) -> None:
    """The line of the hit, of ``grep`` and of ``cat`` is that of an editor."""
    indexed, files = made
    with indexed.corpus() as corpus:
        matches = corpus.grep(r"gecko\d+", max_results=10_000).matches
        lines = {word: (match.path, match.line) for match in matches for word in re.findall(r"gecko\d+", match.text)}
        for file in (file for file in files if file.line):
            assert lines[file.word] == (file.name, file.line)
            shown = corpus.cat(str(indexed.root / file.name), start_line=file.line, end_line=file.line).text
            assert file.word in shown, file.name


def test_name_goes_from_search_to_cat_unharmed(made: tuple[Indexed, list[OddFile]]) -> None:
    """What ``search --json`` prints first opens the very file, as an argument of another process."""
    indexed, files = made
    for file in (file for file in files if file.name.startswith("names/")):
        hit = json.loads(indexed.program("search", "--json", "--words-only", file.word).stdout)[0]
        assert file.word in indexed.program("cat", "--", hit["filePath"]).stdout


def test_names_are_printed_safely(made: tuple[Indexed, list[OddFile]]) -> None:
    """No name brings escape codes, line ends or direction marks of its own into a table."""
    indexed, files = made
    for word in (file.word for file in files if file.name.startswith("names/")):
        printed = indexed.program("search", "--words-only", "-k", "1", word).stdout
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", printed)


def test_nothing_left_the_folder(made: tuple[Indexed, list[OddFile]]) -> None:
    """No archive wrote beside itself, no name ran as a command, no link was followed."""
    indexed, _ = made
    home = indexed.program.home
    assert not [path for path in home.rglob("*") if path.name in {"slipped.txt", "PWNED"}]
    assert {"loop", "outside", "twice.md"} <= indexed.skipped.keys()


# -- both sets ---------------------------------------------------------------------------------------------------------
@pytest.fixture(params=["made", "listed"])
def indexed(request: pytest.FixtureRequest) -> Indexed:
    """Each of the two folders."""
    found: tuple[Indexed, object] = request.getfixturevalue(request.param)
    return found[0]


def test_every_path_is_counted_once(indexed: Indexed) -> None:
    """Indexed and listed files together are those on the disk; all surfaces give the same numbers."""
    (folder,) = indexed.status["folders"]
    paths = sorted(odd_paths(indexed.root))
    with indexed.corpus() as corpus:
        manifest = corpus.store().manifest(str(indexed.root))
    assert sorted(manifest) == paths
    assert [row["path"] for row in indexed.status["skippedFiles"]] == sorted(indexed.skipped)
    assert folder["documents"] + len(indexed.skipped) == len(paths)
    assert indexed.first["filesProcessed"] == folder["documents"] == indexed.status["documents"]
    assert indexed.first["filesNotIndexed"] == len(indexed.skipped)
    assert indexed.first["skipReasons"] == folder["skipped"] == dict(Counter(indexed.skipped.values()))
    assert indexed.first["filesPartly"] == folder["partly"] == len(indexed.status["partlyFiles"])


def test_run_is_repeatable(indexed: Indexed) -> None:
    """A second run reads nothing, embeds nothing, and leaves the same state."""
    assert indexed.first["chunksPending"] == 0
    assert {name: indexed.second[name] for name in ("filesProcessed", "filesDeleted", "chunksEmbedded")} == {
        "filesProcessed": 0,
        "filesDeleted": 0,
        "chunksEmbedded": 0,
    }
    assert indexed.second["skipReasons"] == indexed.first["skipReasons"]
    changing = {"lastRun", "generation", "sizeBytes"}
    kept = [{k: v for k, v in status.items() if k not in changing} for status in (indexed.status, indexed.again)]
    assert kept[0] == kept[1]


def test_run_is_bounded(indexed: Indexed) -> None:
    """Under 2 minutes and 1 GB, hostile files included."""
    assert indexed.cpu_seconds < _MOST_CPU_SECONDS
    assert indexed.peak_bytes < _MOST_BYTES


def test_no_file_is_a_fault(indexed: Indexed) -> None:
    """Every reason is one that the user understands; none is ours."""
    assert SkipReason.FAULT not in indexed.skipped.values()


def _is_there(indexed: Indexed, path: str) -> bool:
    """Whether the archive has a file of the list; names that not every tool can pack are left out of it."""
    return os.path.lexists(indexed.root / path)


# -- the larger set ----------------------------------------------------------------------------------------------------
@pytest.mark.shared
def test_every_listed_word_is_found(listed: tuple[Indexed, dict[str, tuple[str, str]]]) -> None:
    """By the word that the list names, with default settings; a file that lives is found without asking for all."""
    indexed, expected = listed
    wrong: list[tuple[str, str, str | None]] = []
    with indexed.corpus() as corpus:
        for path, (odd, last) in expected.items():
            if (path in _EITHER and path in indexed.skipped) or "link" in odd or not _is_there(indexed, path):
                continue
            words = [*_NAMED.get(path, []), *_WORD.findall(last.split(" yes")[0])]
            alive = "LIVE" in odd or not path.startswith("frontmatter/")
            found = {word: _found(corpus, word, search_all=not alive) for word in words}
            wrong += [(path, word, indexed.skipped.get(path)) for word in words if path not in found[word]]
    assert wrong == []


@pytest.mark.shared
def test_every_listed_file_is_known(listed: tuple[Indexed, dict[str, tuple[str, str]]]) -> None:
    """What the list names and the disk has is in the index or listed; what must not be read is listed."""
    indexed, expected = listed
    with indexed.corpus() as corpus:
        manifest = corpus.store().manifest(str(indexed.root))
    assert [path for path in expected if path not in manifest and _is_there(indexed, path)] == []
    assert {"hostile/zipbomb.docx", "hostile/billion-laughs.docx", "hostile/xxe.docx"} <= indexed.skipped.keys()
    assert {"names/link-to-file.md", "names/loop", "names/outside"} <= indexed.skipped.keys()
