"""Parsed formats run in a worker that is bounded, reused, replaced and never left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gnomon.children import start
from gnomon.errors import DocumentError
from gnomon.extract import Extractor, Limits
from gnomon.extract.base import MEBIBYTE
from gnomon.values import SkipReason

_SRC = Path(__file__).resolve().parents[3] / "src"
_PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


@pytest.fixture
def extractor() -> Iterator[Extractor]:
    """An extractor that is closed afterwards."""
    with Extractor() as made:
        yield made


def _worker_pid(extractor: Extractor) -> int:
    worker = extractor._workers._worker
    assert worker is not None
    return worker._process.pid


def test_text_needs_no_worker(extractor: Extractor) -> None:
    """A folder of text starts no process."""
    assert extractor.extract("a.md", b"# Title\n")[0].text == "# Title\n"
    assert extractor._workers._worker is None


def test_document_comes_back_whole(extractor: Extractor, make_docx: Callable[[str], bytes]) -> None:
    """Text, kind, anchors and secrets are the same as without a worker."""
    body = _PARAGRAPH.format("größer \U0001f600") + _PARAGRAPH.format('password = "Tr0ub4dor&amp;3x"')
    document, count = extractor.extract("a.docx", make_docx(body))
    assert document.text == 'größer \U0001f600\n\npassword = "[redacted password]"\n'
    assert (document.kind, document.language, document.anchors[0].label) == ("prose", "docx", "paragraph 1")
    assert count == 1


def test_worker_is_reused(extractor: Extractor, make_docx: Callable[[str], bytes]) -> None:
    """The second document costs no start."""
    extractor.extract("a.docx", make_docx(_PARAGRAPH.format("one")))
    first = _worker_pid(extractor)
    extractor.extract("b.docx", make_docx(_PARAGRAPH.format("two")))
    assert _worker_pid(extractor) == first


def test_refusal_of_one_document_keeps_the_worker(extractor: Extractor, make_docx: Callable[[str], bytes]) -> None:
    """A damaged file is an answer like any other."""
    extractor.extract("a.docx", make_docx(_PARAGRAPH.format("one")))
    first = _worker_pid(extractor)
    with pytest.raises(DocumentError) as caught:
        extractor.extract("b.docx", b"PK\x03\x04 cut off")
    assert caught.value.reason == SkipReason.DAMAGED
    assert _worker_pid(extractor) == first


def test_overtime_is_one_skip_and_the_next_document_is_read(make_docx: Callable[[str], bytes]) -> None:
    """A worker that takes too long is killed and replaced."""
    content = make_docx(_PARAGRAPH.format("one"))
    with Extractor(limits=Limits(seconds=0.001)) as hurried:
        with pytest.raises(DocumentError) as caught:
            hurried.extract("a.docx", content)
        assert caught.value.reason == SkipReason.EXTRACTION_LIMIT
        hurried._limits = Limits()
        assert hurried.extract("a.docx", content)[0].text == "one\n"


def test_memory_beyond_the_limit_is_one_skip(make_docx: Callable[[str], bytes]) -> None:
    """A document that needs too much memory costs itself only."""
    content = make_docx(_PARAGRAPH.format("x" * 2000) * 20_000)
    with Extractor(limits=Limits(memory_bytes=96 * MEBIBYTE)) as small:
        with pytest.raises(DocumentError) as caught:
            small.extract("a.docx", content)
        assert caught.value.reason in {SkipReason.EXTRACTION_LIMIT, SkipReason.FAULT}
        assert small.extract("b.docx", make_docx(_PARAGRAPH.format("one")))[0].text == "one\n"


def test_killed_worker_is_replaced(extractor: Extractor, make_docx: Callable[[str], bytes]) -> None:
    """A worker that dies between documents costs none of them."""
    extractor.extract("a.docx", make_docx(_PARAGRAPH.format("one")))
    first = _worker_pid(extractor)
    os.kill(first, 9)
    assert extractor.extract("b.docx", make_docx(_PARAGRAPH.format("two")))[0].text == "two\n"
    assert _worker_pid(extractor) != first


@pytest.mark.parametrize("kills", [1, 2])
def test_document_whose_worker_was_killed_has_a_second_try(
    extractor: Extractor, make_docx: Callable[[str], bytes], monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    """Also where the worker was new: whoever killed it, it need not have been the document. Twice, it was."""
    left = [True] * kills

    def killed(module: str) -> subprocess.Popen[bytes]:
        process = start(module)
        if left:
            left.pop()
            process.kill()
        return process

    monkeypatch.setattr("gnomon.extract.extractor.start", killed)
    if kills == 1:
        assert extractor.extract("a.docx", make_docx(_PARAGRAPH.format("one")))[0].text == "one\n"
        return
    with pytest.raises(DocumentError, match=r"twice.*--force"):
        extractor.extract("a.docx", make_docx(_PARAGRAPH.format("one")))


def test_threads_share_one_worker(extractor: Extractor, make_docx: Callable[[str], bytes]) -> None:
    """Each thread gets the text of its own document."""
    found: dict[int, str] = {}

    def work(number: int) -> None:
        found[number] = extractor.extract(f"{number}.docx", make_docx(_PARAGRAPH.format(number)))[0].text

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: f"{n}\n" for n in range(6)}


def test_worker_imports_nothing_heavy() -> None:
    """Starting it costs no numeric library and no model."""
    code = "import gnomon.extract.worker, sys; print([m for m in ('numpy', 're2', 'onnxruntime') if m in sys.modules])"
    answer = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(_SRC)}, capture_output=True, encoding="utf-8", check=True
    )
    assert answer.stdout.strip() == "[]"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
def test_worker_ends_with_its_parent() -> None:
    """A parent that is killed leaves no orphan."""
    code = (
        "import os, sys\n"
        "from gnomon.extract.extractor import Extractor\n"
        "e = Extractor()\n"
        "try: e.extract('a.rtf', b'{\\\\rtf1 x}')\n"
        "finally: print(e._workers._worker._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(_SRC)}, capture_output=True, encoding="utf-8", check=False
    )
    worker = Path("/proc") / answer.stdout.strip()
    deadline = time.monotonic() + 5
    while _is_running(worker) and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    assert answer.stdout.strip().isdigit()
    assert not _is_running(worker)


def _is_running(process: Path) -> bool:
    try:
        return process.joinpath("stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_folder_being_indexed_cannot_lend_modules(tmp_path: Path, make_docx: Callable[[str], bytes]) -> None:
    """A file named like a module of the standard library, where the command is run, is never imported."""
    (tmp_path / "zipfile.py").write_text("raise SystemExit(9)\n", "utf-8")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        with Extractor() as made:
            assert made.extract("a.docx", make_docx(_PARAGRAPH.format("one")))[0].text == "one\n"
    finally:
        os.chdir(before)
