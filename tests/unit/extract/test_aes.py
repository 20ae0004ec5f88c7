"""The cipher is AES, by the vectors of its standard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.extract.aes import decrypt_cbc, encrypt_cbc

_PLAIN = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
_START = bytes(range(16))


@pytest.mark.parametrize(
    ("key", "cipher"),
    [
        # NIST SP 800-38A, F.2.1 and F.2.5, first two blocks.
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d",
        ),
    ],
)
def test_vectors_of_the_standard_hold(key: str, cipher: str) -> None:
    """Both directions, both key sizes."""
    assert encrypt_cbc(bytes.fromhex(key), _START, _PLAIN).hex() == cipher
    assert decrypt_cbc(bytes.fromhex(key), _START, bytes.fromhex(cipher)) == _PLAIN


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=16, max_size=16), st.binary(min_size=48, max_size=48))
def test_decryption_undoes_encryption(key: bytes, start: bytes, data: bytes) -> None:
    """Whatever the key."""
    assert decrypt_cbc(key, start, encrypt_cbc(key, start, data)) == data
