"""Which corpus on which server: its schema, and a connection to it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

from gnomon.errors import StoreError, UsageError

# Longest a writer waits for another one, as in the default store.
BUSY_TIMEOUT_SECONDS = 30
_NAME = re.compile(r"[a-z][a-z0-9_]{0,50}")
_CONNECT_SECONDS = 10


class Half(bytes):
    """A float16 vector as pgvector sends it: dimension and a zero, then the numbers, all big-endian."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Place:
    """One corpus.

    Attributes:
        name: As people read it.
        schema: Of the database; safe to stand in a statement.
        service: Of ``pg_service.conf``, or "".
    """

    name: str
    schema: str
    service: str = ""

    @classmethod
    def named(cls, path: Path | str) -> Self:
        """The corpus of a setting.

        Raises:
            UsageError: The name is no plain one.
        """
        text = str(path)
        if isinstance(path, Path) or not text.startswith("postgres:"):
            return cls(text, "gnomon_" + hashlib.blake2b(text.encode(), digest_size=8).hexdigest())
        corpus, _, options = text.removeprefix("postgres:").partition("?")
        service = options.removeprefix("service=") if options else ""
        if not _NAME.fullmatch(corpus) or (options and not options.startswith("service=")):
            raise UsageError(
                f"{text!r} names no corpus: it is postgres:CORPUS or postgres:CORPUS?service=NAME, where CORPUS is"
                " small letters, digits and _"
            )
        return cls(text, f"gnomon_{corpus}", service)

    def connect(self, *, reading: bool) -> psycopg.Connection[Any]:
        """A connection in autocommit mode, so that transactions are begun by name.

        Raises:
            psycopg.Error: The server does not answer or does not let us in.
        """
        options: dict[str, Any] = {"service": self.service} if self.service else {}
        connection = psycopg.connect(
            "", autocommit=True, connect_timeout=_CONNECT_SECONDS, fallback_application_name="gnomon", **options
        )
        try:
            connection.execute(f"SET lock_timeout = '{BUSY_TIMEOUT_SECONDS}s'")
            connection.execute("SET client_min_messages = warning")
            if reading:
                connection.execute("SET default_transaction_read_only = on")
        except BaseException:
            connection.close()
            raise
        return connection


def learn_half(connection: psycopg.Connection[Any]) -> int:
    """Teach a connection to write ``Half``; returns the number of the type.

    Raises:
        StoreError: The database has no pgvector.
    """
    info = TypeInfo.fetch(connection, "halfvec")
    if info is None:
        raise StoreError(
            "this database has no pgvector (0.7 or newer); as its owner run: CREATE EXTENSION vector; "
            "or choose another storeBackend"
        )

    number = info.oid

    class HalfDumper(Dumper):
        format = Format.BINARY
        oid = number

        def dump(self, obj: bytes) -> bytes:
            return bytes(obj)

    connection.adapters.register_dumper(Half, HalfDumper)
    return number
