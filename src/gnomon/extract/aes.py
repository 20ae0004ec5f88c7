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
    first, second, third, fourth = ([words[row] for words in mix] for row in range(4))
    keys = _schedule(key)
    last = len(keys) - 4
    e, f, g, h = struct.unpack(">4I", start)
    out = []
    # Unrolled: this loop runs for 25,000 blocks to open one file.
    for p, q, r, s in struct.iter_unpack(">4I", data):
        a, b, c, d = p ^ e ^ keys[0], q ^ f ^ keys[1], r ^ g ^ keys[2], s ^ h ^ keys[3]
        for at in range(4, last, 4):
            a, b, c, d = (
                first[a >> 24] ^ second[b >> 16 & 255] ^ third[c >> 8 & 255] ^ fourth[d & 255] ^ keys[at],
                first[b >> 24] ^ second[c >> 16 & 255] ^ third[d >> 8 & 255] ^ fourth[a & 255] ^ keys[at + 1],
                first[c >> 24] ^ second[d >> 16 & 255] ^ third[a >> 8 & 255] ^ fourth[b & 255] ^ keys[at + 2],
                first[d >> 24] ^ second[a >> 16 & 255] ^ third[b >> 8 & 255] ^ fourth[c & 255] ^ keys[at + 3],
            )
        e = (box[a >> 24] << 24 | box[b >> 16 & 255] << 16 | box[c >> 8 & 255] << 8 | box[d & 255]) ^ keys[last]
        f = (box[b >> 24] << 24 | box[c >> 16 & 255] << 16 | box[d >> 8 & 255] << 8 | box[a & 255]) ^ keys[last + 1]
        g = (box[c >> 24] << 24 | box[d >> 16 & 255] << 16 | box[a >> 8 & 255] << 8 | box[b & 255]) ^ keys[last + 2]
        h = (box[d >> 24] << 24 | box[a >> 16 & 255] << 16 | box[b >> 8 & 255] << 8 | box[c & 255]) ^ keys[last + 3]
        out.append(struct.pack(">4I", e, f, g, h))
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
