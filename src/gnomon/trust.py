"""What a checked-in settings file may not ask for by itself, and whether the user trusts this very file.

A project's ``.rag/config.json`` arrives with a clone, so it may only speak of its own project. What reaches further
needs ``gnomon trust`` once per content of the file. The user's own settings are never asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gnomon.config import Config, data_dir, environment, index_place, is_local
from gnomon.config.paths import expanded, real
from gnomon.config.settings_file import read_raw, write_raw
from gnomon.errors import ConfigError

# Strict on purpose: whatever two URL parsers could read in two ways (user part, backslash) is not a loopback address.
_LOOPBACK = re.compile(r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?(/[^@\\\s]*)?", re.IGNORECASE)
_TRUSTED = "trusted"


def trust_file() -> Path:
    """Where the user's decisions are kept: path of a settings file -> sha256 of the content that is trusted."""
    return data_dir() / "trust.json"


def untrusted_reasons(config: Config) -> list[str]:
    """What in a project's settings reaches beyond the project, one clause each; [] for the user's own settings."""
    if config.project_root is None:
        return []
    return [*_reaches_outside(config, real(config.project_root)), *_names_a_server(config)]


def is_trusted(config: Config) -> bool:
    """Whether the user trusts the settings file as it is now.

    Raises:
        ConfigError: The list of trusted files cannot be read.
    """
    known = _decisions(read_raw(trust_file())).get(_key(config.file))
    return known is not None and known == settings_digest(config.file)


def require_trust(config: Config) -> None:
    """Let settings pass that keep to their project or that the user trusts.

    Raises:
        ConfigError: They do neither; the text names each reason and the way to trust them.
    """
    reasons = untrusted_reasons(config)
    if not reasons or is_trusted(config):
        return
    listed = "".join(f"\n  - {reason}" for reason in reasons)
    raise ConfigError(
        f"the settings of this project ask for more than a checked-in file may:{listed}\n"
        f"Read {_shown(str(config.file))}; if you trust it, run there: gnomon trust"
    )


def settings_digest(file: Path) -> str:
    """The sha256 of a settings file, as hex digits.

    Raises:
        ConfigError: The file cannot be read.
    """
    import hashlib

    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as e:
        raise ConfigError(f"cannot read the settings file {_shown(str(file))}: {e.strerror or e}") from e


def grant_trust(file: Path, digest: str) -> None:
    """Remember that the user trusts a settings file with this content, and no other content of it.

    Args:
        file: The settings file.
        digest: What ``settings_digest`` said when the user read it, so that a file that changes meanwhile is not
            trusted by accident.

    Raises:
        ConfigError: The list of trusted files cannot be read or written.
    """
    with _locked():
        raw = read_raw(trust_file())
        write_raw(trust_file(), {**raw, _TRUSTED: {**_decisions(raw), _key(file): digest}})


def revoke_trust(file: Path) -> bool:
    """Forget that a settings file was trusted; returns whether it was.

    Raises:
        ConfigError: The list of trusted files cannot be read or written.
    """
    with _locked():
        raw = read_raw(trust_file())
        decisions = _decisions(raw)
        known = decisions.pop(_key(file), None) is not None
        if known:
            write_raw(trust_file(), {**raw, _TRUSTED: decisions})
        return known


def _reaches_outside(config: Config, root: Path) -> Iterator[str]:
    places = [(key, path) for key in ("defaultRoots", "allowIndexRoots") for path in config[key]]
    places += [(key, config[key]) for key in ("vaultPath", "ignoreFile")]
    for key, path in places:
        yield from _outside(root, key, path, real(config.file.parent / expanded(path)))
    index_path = config["indexPath"]
    if not is_local(index_path):
        yield f"indexPath {_shown(index_path)} is not on this machine"
    else:
        yield from _outside(root, "indexPath", index_path, real(index_place(config.file, index_path)))


def _outside(root: Path, key: str, written: str, place: Path) -> Iterator[str]:
    if not place.is_relative_to(root):
        yield f'{key} "{_shown(written)}" is outside the project: {_shown(str(place))}'


def _names_a_server(config: Config) -> Iterator[str]:
    url = config["embedUrl"]
    if url and not _LOOPBACK.fullmatch(url):
        yield f'embedUrl "{_shown(url)}" is another host, which would be sent the text of the documents'
    if config["allowRemote"]:
        yield "allowRemote lets another host compute embeddings, and with it read the documents"
    chosen_by_user = environment("GNOMON_STORE_BACKEND") or environment("SS_STORE_BACKEND")
    if config["storeBackend"] == "postgres" and not chosen_by_user:
        yield 'storeBackend "postgres" keeps the text of the documents on a database server'


def _shown(text: str) -> str:
    """Text for a terminal: what could steer it, or reorder what is read, is escaped."""
    return text if text.isprintable() else ascii(text)[1:-1]


def _key(file: Path) -> str:
    return str(real(file))


def _decisions(raw: dict[str, object]) -> dict[str, str]:
    decisions = raw.get(_TRUSTED, {})
    if not isinstance(decisions, dict) or not all(isinstance(digest, str) for digest in decisions.values()):
        raise ConfigError(f'{trust_file()}: "{_TRUSTED}" must map paths to sha256 sums; mend it or move it away')
    return dict(decisions)


@contextmanager
def _locked() -> Iterator[None]:
    """Two calls at once must not undo each other's decision."""
    from filelock import FileLock

    try:
        trust_file().parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(trust_file().with_suffix(".lock"))
        lock.acquire()
    except OSError as e:
        raise ConfigError(f"cannot write to {trust_file().parent}: {e.strerror or e}") from e
    try:
        yield
    finally:
        lock.release()
