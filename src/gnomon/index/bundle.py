"""Vectors in a file, for a team or a build server that embeds once: by content, with no path and no text in it.

A zip archive of ``vectors.bin`` (rows of a 16-byte text key and a float16 vector, by key), ``manifest.json`` (what
made them, their number and the sha256 of the rows) and, where a key was given, a signature of the manifest (see
``signing``). Equal vectors make equal files.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from gnomon.errors import GnomonError, MismatchError, UsageError
from gnomon.index.signing import Signer, Verifier
from gnomon.store.base import Fingerprint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
_MANIFEST, _VECTORS = "manifest.json", "vectors.bin"
_KEY_BYTES = 16
_ROWS_PER_BATCH = 1_000
_MAX_MANIFEST_BYTES = 100_000
_MAX_SIGNATURE_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was checked: its manifest, its signature where a key is there, and each of its bytes.

    Attributes:
        count: Vectors in it.
        signed: Whether it carries a signature; one that nobody could check counts too.
        signer: Who signed it; "" where that was not asked.
    """

    count: int
    signed: bool
    signer: str
    _archive: zipfile.ZipFile
    _dim: int

    def batches(self) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
        """(keys, vectors), a thousand at a time."""
        import numpy as np

        # Keys not as numpy's text, which ends at a zero byte.
        row = np.dtype([("key", "u1", (_KEY_BYTES,)), ("vector", "<f2", (self._dim,))])
        with self._archive.open(_VECTORS) as file:
            while data := _exactly(file, row.itemsize * _ROWS_PER_BATCH):
                rows = np.frombuffer(data, row)
                yield [key.tobytes() for key in rows["key"]], rows["vector"].astype(np.float32)


def write_bundle(
    file: Path,
    vectors: Iterable[tuple[bytes, NDArray[np.float16]]],
    fingerprint: Fingerprint,
    *,
    signer: Signer | None = None,
) -> int:
    """Write vectors, sorted by key, to a file that is replaced in one step; returns how many.

    Raises:
        OSError: The file cannot be written.
        UsageError: The key cannot be used.
    """
    beside = file.with_name(f".{file.name}.part")
    try:
        with zipfile.ZipFile(beside, "w", allowZip64=True) as archive:
            count, digest = _write_rows(archive, vectors)
            manifest = json.dumps(_description(fingerprint) | {"count": count, "sha256": digest}, indent=2).encode()
            archive.writestr(zipfile.ZipInfo(_MANIFEST), manifest)
            if signer:
                archive.writestr(zipfile.ZipInfo(signer.member), signer.sign(manifest))
        beside.replace(file)
    except OSError as e:
        raise OSError(e.errno, e.strerror or str(e), str(file)) from e  # by the name that the user gave
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    return count


def _write_rows(archive: zipfile.ZipFile, vectors: Iterable[tuple[bytes, NDArray[np.float16]]]) -> tuple[int, str]:
    digest = hashlib.sha256()
    count = 0
    with archive.open(zipfile.ZipInfo(_VECTORS), "w", force_zip64=True) as out:
        for key, vector in vectors:
            row = key + vector.astype("<f2").tobytes()
            digest.update(row)
            out.write(row)
            count += 1
    return count, digest.hexdigest()


@contextmanager
def open_bundle(file: Path, fingerprint: Fingerprint, *, verifier: Verifier | None = None) -> Iterator[Bundle]:
    """Open and check a bundle; nothing of one that fails is ever given out.

    Args:
        file: Which.
        fingerprint: What the index is made by.
        verifier: Where given, the bundle must carry a signature that counts.

    Raises:
        MismatchError: Another model, analyzer or chunker made it.
        UsageError: It is no bundle, altered, or not signed as it must be.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            try:
                bundle = _checked(file, archive, fingerprint, verifier)
            except GnomonError:
                raise
            except (EOFError, RuntimeError, zlib.error) as e:  # cut, with a password, not deflated at all
                raise UsageError(f"{file} is no bundle, or damaged: {e}") from e
            yield bundle
    except (zipfile.BadZipFile, NotImplementedError) as e:
        raise UsageError(f"{file} is no bundle, or damaged: {e}") from e
    except FileNotFoundError as e:
        raise UsageError(f"no such file: {file}") from e


def _checked(file: Path, archive: zipfile.ZipFile, fingerprint: Fingerprint, verifier: Verifier | None) -> Bundle:
    manifest_bytes, manifest = _manifest(file, archive)
    signed = any(name.startswith("signature") for name in archive.namelist())
    signer = _signer(file, archive, manifest_bytes, verifier) if verifier else ""
    wanted = _description(fingerprint)
    found = {name: manifest.get(name) for name in wanted}
    differences = [f"{name} ({found[name]}, here {wanted[name]})" for name in wanted if found[name] != wanted[name]]
    if differences:
        raise MismatchError(f"{file} was made by another {', '.join(differences)}; nothing was taken")
    count, digest = manifest.get("count"), manifest.get("sha256")
    if not isinstance(count, int) or count < 0 or (count, digest) != _measured(archive, fingerprint.dim, count):
        raise UsageError(f"{file} was altered or cut: its vectors are not those of its manifest; nothing was taken")
    return Bundle(count, signed, signer, archive, fingerprint.dim)


def _signer(file: Path, archive: zipfile.ZipFile, manifest: bytes, verifier: Verifier) -> str:
    signature = _read(archive, verifier.member, _MAX_SIGNATURE_BYTES)
    if not signature:
        raise UsageError(f"{file} is not signed in this way; nothing was taken")
    signer = verifier.signer_of(manifest, signature)
    if not signer:
        raise UsageError(f"{file} is signed with another key; nothing was taken")
    return signer


def _manifest(file: Path, archive: zipfile.ZipFile) -> tuple[bytes, dict[str, Any]]:
    data = _read(archive, _MANIFEST, _MAX_MANIFEST_BYTES)
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError) as e:
        raise UsageError(f"{file} is no bundle: {e}") from e
    if not isinstance(manifest, dict) or manifest.get("format") is None:
        raise UsageError(f"{file} is no bundle of gnomon's")
    return data, manifest


def _measured(archive: zipfile.ZipFile, dim: int, count: int) -> tuple[int, str]:
    """Number and digest of the rows that are really there; not more than a manifest promises is read."""
    row_bytes = _KEY_BYTES + 2 * dim
    left = count * row_bytes + 1
    digest = hashlib.sha256()
    size = 0
    try:
        with archive.open(_VECTORS) as file:
            while data := file.read(min(1 << 20, left - size)):
                digest.update(data)
                size += len(data)
    except KeyError:
        return -1, ""
    return (size // row_bytes if size % row_bytes == 0 else -1), digest.hexdigest()


def _exactly(file: IO[bytes], size: int) -> bytes:
    pieces = []
    while size and (piece := file.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _read(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    try:
        with archive.open(name) as file:
            return file.read(limit)
    except KeyError:
        return b""


def _description(fingerprint: Fingerprint) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "model": fingerprint.model,
        "dim": fingerprint.dim,
        "analyzer": fingerprint.analyzer,
        "chunker": fingerprint.chunker,
    }
