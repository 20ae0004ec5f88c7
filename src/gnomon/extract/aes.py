"""AES in CBC mode without padding, by FIPS 197: the few kilobytes that open a PDF whose owner password is empty.

The standard library has no cipher, and a library for one rare kind of file would weigh more than all parsers here.
Not hardened against timing: it only ever handles keys that anybody can compute.
"""

from __future__ import annotations

import struct
from functools import cache


def _doubled(value: int) -> int:
    value <<= 1
    return value ^ 0x11B if value & 0x100 else value


@cache
def _tables() -> tuple[list[int], list[int], list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The substitution box, its inverse, and both joined with the mixing of columns, one word per input byte."""
    power, log = [0] * 255, [0] * 256
    value = 1
    for exponent in range(255):
        power[exponent], log[value] = value, exponent
        value ^= _doubled(value)  # times 3, which generates the field

    def times(a: int, b: int) -> int:
        return power[(log[a] + log[b]) % 255] if a and b else 0

    box, inverse = [0] * 256, [0] * 256
    for byte in range(256):
        reciprocal = power[-log[byte] % 255] if byte else 0
        turned = reciprocal * 0x101
        box[byte] = (reciprocal ^ turned >> 4 ^ turned >> 5 ^ turned >> 6 ^ turned >> 7) & 0xFF ^ 0x63
        inverse[box[byte]] = byte
    mix = [_words([times(box[b], m) for m in (2, 1, 1, 3)]) for b in range(256)]
    unmix = [_words([times(inverse[b], m) for m in (14, 9, 13, 11)]) for b in range(256)]
    return box, inverse, mix, unmix


def _words(column: list[int]) -> tuple[int, ...]:
    """A column as a 32-bit word, turned for each of the four rows."""
    word = int.from_bytes(bytes(column), "big")
    return tuple((word >> turn | word << 32 - turn) & 0xFFFFFFFF for turn in (0, 8, 16, 24))


def _schedule(key: bytes) -> list[int]:
    """Round keys as 32-bit words; 44 for a key of 16 bytes, 60 for one of 32."""
    box = _tables()[0]
    size = len(key) // 4
    words = list(struct.unpack(f">{size}I", key))
    constant = 1
    while len(words) < 4 * (size + 7):
        word = words[-1]
        if len(words) % size == 0:
            word = _substituted((word << 8 | word >> 24) & 0xFFFFFFFF, box) ^ constant << 24
            constant = _doubled(constant)
        elif size == 8 and len(words) % size == 4:
            word = _substituted(word, box)
        words.append(words[-size] ^ word)
    return words


def _substituted(word: int, box: list[int]) -> int:
    return int.from_bytes(bytes(box[byte] for byte in word.to_bytes(4, "big")), "big")


def encrypt_cbc(key: bytes, start: bytes, data: bytes) -> bytes:
    """Encrypt whole blocks.

    Args:
        key: 16 or 32 bytes.
        start: 16 bytes, the initialisation vector.
        data: A multiple of 16 bytes.
    """
    box, _, mix, _ = _tables()
    keys = _schedule(key)
    last = len(keys) - 4
    chain = struct.unpack(">4I", start)
    out = []
    for block in struct.iter_unpack(">4I", data):
        state = [b ^ c ^ k for b, c, k in zip(block, chain, keys, strict=False)]
        for at in range(4, last, 4):
            a, b, c, d = state
            state = [
                mix[p >> 24][0] ^ mix[q >> 16 & 255][1] ^ mix[r >> 8 & 255][2] ^ mix[s & 255][3] ^ keys[at + i]
                for i, (p, q, r, s) in enumerate(((a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)))
            ]
        a, b, c, d = state
        chain = tuple(
            (box[p >> 24] << 24 | box[q >> 16 & 255] << 16 | box[r >> 8 & 255] << 8 | box[s & 255]) ^ keys[last + i]
            for i, (p, q, r, s) in enumerate(((a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)))
        )
        out.append(struct.pack(">4I", *chain))
    return b"".join(out)


def decrypt_cbc(key: bytes, start: bytes, data: bytes) -> bytes:
    """Decrypt whole blocks; see ``encrypt_cbc``."""
    box, inverse, _, unmix = _tables()
    keys = _schedule(key)
    last = len(keys) - 4
    chain: tuple[int, ...] = struct.unpack(">4I", start)
    out = []
    for block in struct.iter_unpack(">4I", data):
        state = [b ^ k for b, k in zip(block, keys[last:], strict=True)]
        for at in range(last - 4, -4, -4):
            a, b, c, d = state
            turned = ((a, d, c, b), (b, a, d, c), (c, b, a, d), (d, c, b, a))
            if at == 0:
                break
            state = [
                unmix[p >> 24][0] ^ unmix[q >> 16 & 255][1] ^ unmix[r >> 8 & 255][2] ^ unmix[s & 255][3]
                ^ _unmixed(keys[at + i], box, unmix)
                for i, (p, q, r, s) in enumerate(turned)
            ]  # fmt: skip
        plain = [
            (inverse[p >> 24] << 24 | inverse[q >> 16 & 255] << 16 | inverse[r >> 8 & 255] << 8 | inverse[s & 255])
            ^ keys[i] ^ chain[i]
            for i, (p, q, r, s) in enumerate(turned)
        ]  # fmt: skip
        out.append(struct.pack(">4I", *plain))
        chain = block
    return b"".join(out)


def _unmixed(word: int, box: list[int], unmix: list[tuple[int, ...]]) -> int:
    """A round key as the equivalent inverse cipher wants it."""
    a, b, c, d = word.to_bytes(4, "big")
    return unmix[box[a]][0] ^ unmix[box[b]][1] ^ unmix[box[c]][2] ^ unmix[box[d]][3]
