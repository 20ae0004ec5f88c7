"""Who signed: by a key that is shared, or by SSH keys as git signs with them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gnomon.errors import UsageError
from gnomon.index.bundle import open_bundle, write_bundle
from gnomon.index.signing import AllowedSigners, SharedKey, SshKey, Verifier, read_shared_key
from tests.contract.store.builders import FINGERPRINT

with_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed here")
KEY = SharedKey(b"a key that is long enough")
DATA = b"a manifest"


def _ssh_key(folder: Path, name: str) -> tuple[SshKey, str]:
    """A new key and its public half."""
    file = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(file)], check=True)
    return SshKey(file), file.with_suffix(".pub").read_text("ascii").strip()


def _signers(folder: Path, *lines: str) -> AllowedSigners:
    file = folder / "allowed_signers"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return AllowedSigners(file)


def test_key_file_is_checked(tmp_path: Path) -> None:
    """A line end does not count; a short or missing key is refused."""
    (tmp_path / "key").write_bytes(KEY.secret + b"\r\n")
    assert read_shared_key(tmp_path / "key") == KEY
    (tmp_path / "key").write_bytes(b"short\n")
    for name in ("key", "missing"):
        with pytest.raises(UsageError):
            read_shared_key(tmp_path / name)


def test_shared_key_is_never_shown() -> None:
    """Not in a traceback, say."""
    assert "long enough" not in repr(KEY)


@with_ssh
def test_ssh_signature_tells_who_signed(tmp_path: Path) -> None:
    """By the name that the file of allowed signers gives the key; each of several names is right."""
    key, public = _ssh_key(tmp_path, "lena")
    signature = key.sign(DATA)
    for names, told in (("lena@example.org", "lena@example.org"), ("a@example.org,b@example.org", "a@example.org")):
        assert _signers(tmp_path, f"{names} {public}").signer_of(DATA, signature) == told


@with_ssh
def test_ssh_signature_of_other_data_or_keys_does_not_count(tmp_path: Path) -> None:
    """Nor one that was made for something else, or whose key counts for something else only."""
    key, public = _ssh_key(tmp_path, "lena")
    other, _ = _ssh_key(tmp_path, "other")
    signers = _signers(tmp_path, f"lena@example.org {public}")
    assert signers.signer_of(b"another manifest", key.sign(DATA)) == ""
    assert signers.signer_of(DATA, other.sign(DATA)) == ""
    assert signers.signer_of(DATA, b"no signature") == ""
    command = ["ssh-keygen", "-Y", "sign", "-f", str(key.file), "-n", "git"]
    of_git = subprocess.run(command, input=DATA, capture_output=True, check=True).stdout
    assert signers.signer_of(DATA, of_git) == ""
    only_git = _signers(tmp_path, f'lena@example.org namespaces="git" {public}')
    assert only_git.signer_of(DATA, key.sign(DATA)) == ""


@with_ssh
def test_ssh_key_that_cannot_sign_is_named(tmp_path: Path) -> None:
    """And so is a missing file of signers."""
    with pytest.raises(UsageError, match="nokey"):
        SshKey(tmp_path / "nokey").sign(DATA)
    with pytest.raises(UsageError, match="nofile"):
        AllowedSigners(tmp_path / "nofile").signer_of(DATA, b"")


def test_missing_ssh_keygen_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what brings it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="OpenSSH"):
        SshKey(tmp_path / "key").sign(DATA)


@with_ssh
def test_bundle_signed_in_one_way_is_not_signed_in_the_other(tmp_path: Path) -> None:
    """What is demanded must be there; a bundle tells who signed it to those who ask."""
    key, public = _ssh_key(tmp_path, "lena")
    signers = _signers(tmp_path, f"lena@example.org {public}")
    file = tmp_path / "b"
    write_bundle(file, [], FINGERPRINT, signer=key)
    verifiers: tuple[tuple[Verifier | None, str], ...] = ((signers, "lena@example.org"), (None, ""))
    for verifier, signer in verifiers:
        with open_bundle(file, FINGERPRINT, verifier=verifier) as bundle:
            assert (bundle.signed, bundle.signer) == (True, signer)
    with pytest.raises(UsageError, match="not signed in this way"), open_bundle(file, FINGERPRINT, verifier=KEY):
        pass
