"""Bundles: what was written comes back, and what was altered, or made by another model, is never given out."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import MismatchError, UsageError
from gnomon.index.bundle import open_bundle, write_bundle
from gnomon.index.signing import SharedKey, Verifier
from gnomon.store.base import text_key
from tests.contract.store.builders import DIM, FINGERPRINT, vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEY = SharedKey(b"a key that is long enough")


def _vectors(*texts: str) -> list[tuple[bytes, NDArray[np.float16]]]:
    return sorted(((text_key(text), vector(text).astype(np.float16)) for text in texts), key=lambda each: each[0])


def _read(file: Path, *, verifier: Verifier | None = None) -> dict[bytes, bytes]:
    """Key to bytes of the vector."""
    with open_bundle(file, FINGERPRINT, verifier=verifier) as bundle:
        found = {
            key: row.astype(np.float16).tobytes()
            for keys, rows in bundle.batches()
            for key, row in zip(keys, rows, strict=True)
        }
        assert len(found) == bundle.count
        return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A bundle of three vectors."""
    file = tmp_path / "team.bundle"
    assert write_bundle(file, _vectors("one", "two", "three"), FINGERPRINT, signer=KEY) == 3
    return file


@given(keys=st.sets(st.binary(min_size=16, max_size=16), max_size=20))
def test_keys_and_vectors_round_trip(keys: set[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever bytes a key has."""
    file = tmp_path_factory.mktemp("bundle") / "b"
    rows = [(key, vector(key.hex()).astype(np.float16)) for key in sorted(keys)]
    write_bundle(file, rows, FINGERPRINT)
    assert _read(file) == {key: row.tobytes() for key, row in rows}


def test_more_rows_than_a_batch_round_trip(tmp_path: Path) -> None:
    """A thousand at a time."""
    texts = [f"text {number}" for number in range(2_345)]
    write_bundle(tmp_path / "b", _vectors(*texts), FINGERPRINT)
    assert len(_read(tmp_path / "b")) == len(texts)


def test_equal_vectors_make_equal_files(file: Path, tmp_path: Path) -> None:
    """So a build server can tell that nothing changed."""
    write_bundle(tmp_path / "again", _vectors("three", "two", "one"), FINGERPRINT, signer=KEY)
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_signature_is_demanded_of_those_who_give_a_key(file: Path, tmp_path: Path) -> None:
    """Another key and no signature are told apart."""
    assert len(_read(file, verifier=KEY)) == len(_read(file)) == 3
    with pytest.raises(UsageError, match="another key"):
        _read(file, verifier=SharedKey(b"another key that is long"))
    write_bundle(tmp_path / "plain", _vectors("one"), FINGERPRINT)
    with pytest.raises(UsageError, match="not signed"):
        _read(tmp_path / "plain", verifier=KEY)


@pytest.mark.parametrize(
    "made_by", [{"model": "other"}, {"dim": DIM + 1}, {"analyzer": "other"}, {"chunker": "other"}], ids=str
)
def test_bundle_of_another_make_is_refused(tmp_path: Path, made_by: dict[str, object]) -> None:
    """Its name is told."""
    write_bundle(tmp_path / "b", [], replace(FINGERPRINT, **made_by))  # type: ignore[arg-type]
    with pytest.raises(MismatchError, match=next(iter(made_by))):
        _read(tmp_path / "b")


def _rewritten(file: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """The same archive with its members changed; its own checksums are right."""
    with zipfile.ZipFile(file) as archive:
        members = {name: change(name, archive.read(name)) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            if data is not None:
                archive.writestr(name, data)


@pytest.mark.parametrize(
    "change",
    [
        lambda name, data: data[:-1] + bytes([data[-1] ^ 1]) if name == "vectors.bin" else data,
        lambda name, data: data[:-5] if name == "vectors.bin" else data,
        lambda name, data: data + bytes(16 + 2 * DIM) if name == "vectors.bin" else data,
        lambda name, data: data if name != "vectors.bin" else None,
        lambda name, data: data if name != "manifest.json" else None,
        lambda name, data: b"[]" if name == "manifest.json" else data,
        lambda name, data: b"[" * 90_000 if name == "manifest.json" else data,
        lambda name, data: data.replace(b'"count": 3', b'"count": -1') if name == "manifest.json" else data,
        lambda name, data: data.replace(b'"count": 3', b'"count": 2') if name == "manifest.json" else data,
    ],
)
def test_altered_bundle_is_refused(file: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """A row, a missing or added one, a member, the manifest; with or without a key."""
    _rewritten(file, change)
    for verifier in (None, KEY):
        with pytest.raises(UsageError):
            _read(file, verifier=verifier)


def test_resigned_rows_are_refused_by_those_with_the_key(file: Path) -> None:
    """Whoever lacks the key can make a whole bundle, but no signature."""
    forged = file.with_name("forged")
    write_bundle(forged, _vectors("four"), FINGERPRINT, signer=SharedKey(b"what the forger has"))
    with pytest.raises(UsageError):
        _read(forged, verifier=KEY)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """And a missing one."""
    (tmp_path / "b").write_bytes(content)
    for name in ("b", "missing"):
        with pytest.raises(UsageError):
            _read(tmp_path / name)


def test_cut_members_are_refused(file: Path) -> None:
    """What zlib says of them is told as ours."""
    with zipfile.ZipFile(file) as archive:
        manifest = archive.read("manifest.json")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest)
    data = file.read_bytes()
    at = data.index(b"manifest.json") + len(b"manifest.json")
    file.write_bytes(data[:at] + b"\xff" * 20 + data[at + 20 :])
    with pytest.raises(UsageError, match="damaged"):
        _read(file)


def test_place_that_cannot_be_written_is_named_as_it_was_given(tmp_path: Path) -> None:
    """Not by the name of the file that is written beside it first."""
    file = tmp_path / "nowhere" / "x"
    with pytest.raises(FileNotFoundError) as caught:
        write_bundle(file, _vectors("one"), FINGERPRINT)
    assert caught.value.filename == str(file)
