"""The PostgreSQL store: a schema of a database per corpus, with pgvector; for those who have ``gnomon[postgres]``.

Server, database and user are libpq's own: the ``PG*`` variables, or a service of ``pg_service.conf``. No password
passes through the settings.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import MissingExtraError
from gnomon.store.base import Fingerprint

if TYPE_CHECKING:
    from gnomon.store.postgres.store import PostgresStore


def open_store(path: Path | str, *, fingerprint: Fingerprint, writable: bool, replace: bool = False) -> PostgresStore:
    """See ``gnomon.store.open_store``; ``path`` is ``postgres:CORPUS`` or ``postgres:CORPUS?service=NAME``.

    Any other path stands for the corpus of its own on the server that the environment names.

    Raises:
        MissingExtraError: psycopg is not installed.
        UsageError: The name of the corpus is none.
    """
    _require_library()
    from gnomon.store.postgres.opening import prepare
    from gnomon.store.postgres.place import Place
    from gnomon.store.postgres.store import PostgresStore

    place = Place.named(path)
    if writable:
        prepare(place, fingerprint, replace=replace)
    return PostgresStore(place, fingerprint, writable=writable)


def has_index(path: Path | str) -> bool:
    """See ``gnomon.store.has_index``."""
    _require_library()
    from gnomon.store.postgres.opening import is_made
    from gnomon.store.postgres.place import Place

    return is_made(Place.named(path))


def _require_library() -> None:
    try:
        import psycopg  # noqa: F401 - 60 ms
    except ImportError as e:
        raise MissingExtraError(feature='storeBackend "postgres"', extra="postgres") from e
