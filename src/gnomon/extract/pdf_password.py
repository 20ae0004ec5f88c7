"""PDFs that need no password though PDFium asks for one: those whose owner password is empty.

PDFium tries an empty user password only; other readers try both. With the owner's empty password the file key can be
computed by anybody (ISO 32000-2, 7.6.4.3). It is put under an empty user password in a copy of the file in memory.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from gnomon.extract.aes import decrypt_cbc, encrypt_cbc

_ENCRYPT = re.compile(rb"/Encrypt\s+(\d+)\s+(\d+)\s+R")
_HEX = re.compile(rb"\s*<([0-9A-Fa-f\s]*)>")
_DICTIONARY_BYTES = 4096
_SALT = b"gnomon64"
_ZERO = bytes(16)


def without_password(content: bytes) -> bytes | None:
    """The file with an empty user password, None where the empty owner password does not open it.

    Args:
        content: An encrypted PDF. Only AES-256 (revisions 5 and 6) with hexadecimal strings is understood.
    """
    region = _encryption(content)
    if region is None:
        return None
    body = content[region[0] : region[1]]
    revision = re.search(rb"/R\s+([56])\b", body)
    values = {name: _value(body, name) for name in (b"/O", b"/OE", b"/U", b"/UE")}
    owner, owner_key, user = values[b"/O"][:48], values[b"/OE"][:32], values[b"/U"][:48]
    if revision is None or len(owner) < 48 or len(owner_key) < 32 or len(user) < 48 or len(values[b"/UE"]) != 32:
        return None
    digest = _plain_digest if revision[1] == b"5" else _hardened_digest
    if digest(owner[32:40], user) != owner[:32]:
        return None
    file_key = decrypt_cbc(digest(owner[40:48], user), _ZERO, owner_key)
    new_user = digest(_SALT, b"") + _SALT + _SALT
    new_key = encrypt_cbc(digest(_SALT, b""), _ZERO, file_key)
    # The owner's entries would no longer fit the user's, but nobody asks for them again.
    replaced = _replaced(_replaced(body, b"/U", new_user), b"/UE", new_key)
    return content[: region[0]] + replaced + content[region[1] :]


def _encryption(content: bytes) -> tuple[int, int] | None:
    """Where the encryption dictionary stands."""
    references = _ENCRYPT.findall(content)
    if not references:
        return None
    number, generation = references[-1]
    start = content.rfind(b"\n%s %s obj" % (number, generation))
    end = content.find(b"endobj", start, start + _DICTIONARY_BYTES)
    return (start, end) if 0 <= start < end else None


def _place(body: bytes, name: bytes) -> re.Match[bytes] | None:
    key = re.search(re.escape(name) + rb"(?=[\s<])", body)
    return _HEX.match(body, key.end()) if key else None


def _value(body: bytes, name: bytes) -> bytes:
    found = _place(body, name)
    digits = b"".join(found[1].split()) if found else b""
    return bytes.fromhex(digits.decode()) if len(digits) % 2 == 0 else b""


def _replaced(body: bytes, name: bytes, value: bytes) -> bytes:
    found = _place(body, name)
    if found is None:
        return body
    start, end = found.span(1)
    # As long as before, so that every offset in the file stays true.
    return body[:start] + value.hex().encode().ljust(end - start, b"0")[: end - start] + body[end:]


def _plain_digest(salt: bytes, more: bytes) -> bytes:
    """Revision 5: of an empty password."""
    return hashlib.sha256(salt + more).digest()


def _hardened_digest(salt: bytes, more: bytes) -> bytes:
    """Revision 6: of an empty password (ISO 32000-2, algorithm 2.B)."""
    kinds: tuple[Callable[[bytes], hashlib._Hash], ...] = (hashlib.sha256, hashlib.sha384, hashlib.sha512)
    key = hashlib.sha256(salt + more).digest()
    done = 0
    while True:
        mixed = encrypt_cbc(key[:16], key[16:32], (key + more) * 64)
        key = kinds[sum(mixed[:16]) % 3](mixed).digest()
        done += 1
        if done >= 64 and mixed[-1] <= done - 32:
            return key[:32]
