"""Who made a bundle: an HMAC of a key that a team shares, or an SSH signature by a key that is its owner's alone.

SSH signatures are made and checked by ``ssh-keygen`` (OpenSSH 8.1 or later), as git does: with keys that people have
already, against a file of allowed signers such as git's ``gpg.ssh.allowedSignersFile``.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gnomon.errors import UsageError

if TYPE_CHECKING:
    import subprocess

_MIN_SECRET_BYTES = 16
# Part of what is signed, so that a signature made for something else, a commit say, is none of a bundle.
_NAMESPACE = "gnomon-bundle"


class Signer(Protocol):
    """Makes signatures."""

    @property
    def member(self) -> str:
        """Name that signatures of this kind have in a bundle."""
        ...

    def sign(self, data: bytes) -> bytes:
        """The signature of these bytes.

        Raises:
            UsageError: The key cannot be used.
        """
        ...


class Verifier(Protocol):
    """Knows whose signatures count."""

    @property
    def member(self) -> str:
        """See ``Signer.member``."""
        ...

    def signer_of(self, data: bytes, signature: bytes) -> str:
        """Who signed these bytes; "" for nobody whose signature counts.

        Raises:
            UsageError: It cannot be checked here.
        """
        ...


@dataclass(frozen=True, slots=True)
class SharedKey:
    """HMAC-SHA256 in hexadecimal digits: whoever can check it can sign."""

    secret: bytes = field(repr=False)
    member: str = "signature"

    def sign(self, data: bytes) -> bytes:
        """See ``Signer.sign``."""
        return hmac.new(self.secret, data, hashlib.sha256).hexdigest().encode()

    def signer_of(self, data: bytes, signature: bytes) -> str:
        """See ``Verifier.signer_of``."""
        return "a holder of the key" if hmac.compare_digest(signature, self.sign(data)) else ""


@dataclass(frozen=True, slots=True)
class SshKey:
    """A private key, or the public half of one that an agent holds."""

    file: Path
    member: str = "signature.ssh"

    def sign(self, data: bytes) -> bytes:
        """See ``Signer.sign``."""
        done = _ssh_keygen("sign", "-f", str(self.file), "-n", _NAMESPACE, data=data)
        if done.returncode:
            raise UsageError(f"cannot sign with {self.file}: {_last_line(done.stderr)}")
        return done.stdout


@dataclass(frozen=True, slots=True)
class AllowedSigners:
    """A file of principals and their public keys, a line each; see ALLOWED SIGNERS in ssh-keygen(1)."""

    file: Path
    member: str = "signature.ssh"

    def signer_of(self, data: bytes, signature: bytes) -> str:
        """See ``Verifier.signer_of``."""
        import tempfile

        if not self.file.is_file():
            raise UsageError(f"no such file of allowed signers: {self.file}")
        with tempfile.TemporaryDirectory() as scratch:
            kept = Path(scratch) / "signature"
            kept.write_bytes(signature)
            files = ("-f", str(self.file), "-s", str(kept))
            found = _ssh_keygen("find-principals", *files)
            names = found.stdout.decode("utf-8", "replace").splitlines() if not found.returncode else []
            # A line of the file may name several, and the key is that of each.
            signer = names[0].partition(",")[0].strip() if names else ""
            if signer and not _ssh_keygen("verify", *files, "-I", signer, "-n", _NAMESPACE, data=data).returncode:
                return signer
        return ""


def read_shared_key(file: Path) -> SharedKey:
    """The key in a file, line ends around it left out.

    Raises:
        UsageError: It cannot be read or is too short to be a key.
    """
    try:
        secret = file.read_bytes().strip()
    except OSError as e:
        raise UsageError(f"cannot read the key file {file}: {e.strerror}") from e
    if len(secret) < _MIN_SECRET_BYTES:
        raise UsageError(f"the key in {file} is shorter than {_MIN_SECRET_BYTES} bytes; make one: openssl rand -hex 32")
    return SharedKey(secret)


def _ssh_keygen(action: str, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    import subprocess

    try:
        return subprocess.run(  # noqa: S603 - an argument array, no shell
            ["ssh-keygen", "-Y", action, *arguments],  # noqa: S607 - the user's own OpenSSH, as git finds it
            input=data,
            capture_output=True,
            check=False,
        )
    except OSError as e:
        raise UsageError(f"ssh-keygen cannot be run ({e.strerror}); it comes with OpenSSH 8.1 or later") from e


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "ssh-keygen gives no reason"
