"""What is left out by name and size: the built-in lists in one place, and the questions that are answered from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property
from pathlib import Path

from gnomon.values import Skip, SkipReason

MAX_FILE_SIZE_BYTES = 500_000
MAX_DOCUMENT_BYTES = 50_000_000

# Left out on purpose, because text files carry the name too: ts and mts (TypeScript), asc (AsciiDoc), dot (Graphviz),
# pot (gettext), dts (device tree), exp (expect), bc, fig, frm, sig, com (host names), ko and hi (languages), dat, raw.
# "pub" is Publisher and, far more often, a public key: it is not here either.
# The look at the first bytes finds those that are binary.
_BINARY = {
    "images": "png jpg jpeg jpe jfif gif bmp dib ico icns cur tif tiff webp avif heic heif jp2 j2k jxl psd psb xcf ai "
    "eps svg svgz sketch kra dds tga hdr exr cr2 cr3 nef arw dng orf rw2 pbm pgm ppm pnm wmf emf blend fbx glb stl 3ds "
    "ktx ktx2 pvr",
    "audio": "mp3 wav wave flac ogg oga opus m4a m4b aac wma aif aiff aifc mid midi amr ape au mka ac3 caf wv",
    "video": "mp4 m4v mov avi mkv webm mpg mpeg mpe wmv flv f4v 3gp 3g2 vob ogv m2ts mxf rmvb asf swf",
    "archives": "zip tar gz tgz bz2 tbz tbz2 xz txz lz lz4 lzma zst tzst 7z rar cab arj ace iso img dmg vhd vhdx vmdk "
    "qcow2 vdi deb rpm apk ipa aab snap flatpak appimage msi msix pkg crx xpi whl egg gem nupkg jar war ear aar cpio "
    "z br par2 squashfs",
    "compiled": "exe dll so dylib a o obj lib sys bin elf class pyc pyo pyd wasm beam dyn_o dyn_hi cmi cmo cmx cma "
    "cmxa cmxs cmt cmti rlib rmeta ilk pdb gch pch lo dex odex oat vdex node nib mo gmo luac elc fasl jmod "
    "swiftmodule swiftdoc tlb winmd efi hex uf2",
    "fonts": "ttf otf ttc otc woff woff2 eot pfb pfm pfa fon fnt dfont",
    "databases": "db db3 sqlite sqlite3 s3db sqlitedb db-wal db-shm db-journal sqlite-wal sqlite-shm sqlite-journal "
    "sqlite3-wal sqlite3-shm sqlite3-journal mdb accdb ldb mdf ndf ldf dbf myd myi ibd fdb lmdb mdbx duckdb realm nsf "
    "ost pst parquet arrow feather avro orc lance rdata rds sav dta sas7bdat shp shx gpkg mbtiles pmtiles grib grb2 "
    "fits",
    "model weights": "pt pth ckpt safetensors onnx ort gguf ggml h5 hdf5 hdf keras tflite pb mlmodel caffemodel npz "
    "npy pkl pickle joblib weights pdparams pdmodel t7 tfrecord tfrecords",
    "key stores and certificates": "p12 pfx pkcs12 jks keystore bks truststore crt cer der p7b p7c p7s p7m crl csr "
    "kdb kdbx gpg pgp pem key ppk p8",
    "office without a reader": "one onetoc2 vsd vsdx mpp wpd wps wri pages numbers odb odf xla xlam ppa "
    "ppam hwp hwpx xps oxps",
    "other": "mobi azw azw3 azw4 kfx lit djvu chm hlp indd torrent swp swo lnk pcap pcapng dmp dwg dxf skp xmind",
}
BINARY_EXTENSIONS = frozenset(" ".join(_BINARY.values()).split())

# Formats in which most bytes are not text, so that the limit of text files would drop the usual document. Parsers look
# at them, whatever their first bytes are. A test keeps this list equal to that of the parsers.
_DOCUMENTS = (
    "pdf doc dot docx docm dotx dotm ppt pps pptx pptm ppsx ppsm potx potm xls xlt xlsx xlsm xltx xltm xlsb odt ott "
    "fodt ods ots fods odp otp fodp odg otg fodg epub rtf ipynb eml mht mhtml mbox msg"
)
DOCUMENT_EXTENSIONS = frozenset(_DOCUMENTS.split())

DEFAULT_IGNORE_PATTERNS = (
    # The first predecessor's list…
    "node_modules/",
    ".git/",
    "dist/",
    "build/",
    "coverage/",
    "vendor/",
    ".next/",
    "__pycache__/",
    # …and folders that only tools make.
    ".hg/",
    ".svn/",
    ".venv/",
    "venv/",
    ".tox/",
    ".nox/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".gradle/",
    ".terraform/",
    ".nuxt/",
    ".svelte-kit/",
    ".turbo/",
    ".parcel-cache/",
    "bower_components/",
    "*.egg-info/",
    ".Trash/",
    ".Trashes/",
    ".Spotlight-V100/",
    "$RECYCLE.BIN/",
)

# Names, or folder/name. Templates and public keys stay: they are written to be read. What these names do not catch is
# the business of the text's own redaction.
SECRET_FILES = (
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_*_sk", "*_rsa", "*_dsa", "*_ecdsa", "*_ed25519"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.bks", "*.ppk"),
    *("*.kdb", "*.kdbx", "*.gpg", "*.pgp", "*.keychain", "*.keychain-db", "*.ovpn"),
    *(".env", ".env.*", "*.env", ".envrc", ".flaskenv"),
    *(".netrc", "_netrc", ".authinfo", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto"),
    *(".npmrc", ".pypirc", ".yarnrc", ".dockercfg", ".docker/config.json", ".composer/auth.json", ".gem/credentials"),
    *("credentials", ".credentials", ".credentials.json", "credentials.json", ".git-credentials", ".aws/config"),
    *("client_secret*.json", "service-account*.json", "service_account*.json", "application_default_credentials.json"),
    *("kubeconfig", "*.kubeconfig", ".kube/config", "*.tfstate", "*.tfstate.backup", ".terraformrc", "terraform.rc"),
    *(".vault-token", ".vault_pass*", ".vault-pass*", "vault_pass.txt", "master.key", ".htpasswd", "htpasswd"),
    *("secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.ini", "etc/shadow", "etc/gshadow"),
    *(".ssh/*", ".gnupg/*", ".password-store/*", ".pgpass.*", "logins.json", "key4.db", "cookies.sqlite"),
    *("!*.pub", "!*.example", "!*.sample", "!*.template", "!*.tmpl", "!*.dist", "!.env.defaults", "!.env.schema"),
    *("!example.env", "!sample.env", "!template.env", "!*.example.env", "!*.sample.env", "!*.template.env"),
)


def _never(_path: str) -> bool:
    return False


_VERSIONED_LIBRARY = re.compile(r".*\.so(\.\d+)+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DiscoveryRules:
    """Settings of discovery; the defaults are the product's.

    Attributes:
        binary_extensions: Without dot, lower case; given with dots or in capitals they are put right.
        max_file_size_bytes: Text files above it are skipped.
        max_prose_bytes: The same for prose, which people write at book length.
        is_prose: Whether a path is prose by its name; what has no known name is not.
        document_extensions: Formats with a limit of their own; binary bytes are no reason to skip them.
        max_document_bytes: Documents above it are skipped.
        default_ignore_patterns: gitignore syntax, relative to the folder; for what no git repository holds.
        ignore_file: Name of the ignore file in a folder.
        global_ignore_file: Its patterns apply in every folder, relative to it; below the folder's own in weight.
        secret_files: Patterns over a name or over folder/name, any case; ``!`` admits again.
    """

    binary_extensions: frozenset[str] = BINARY_EXTENSIONS
    max_file_size_bytes: int = MAX_FILE_SIZE_BYTES
    max_prose_bytes: int = MAX_FILE_SIZE_BYTES
    is_prose: Callable[[str], bool] = _never
    document_extensions: frozenset[str] = DOCUMENT_EXTENSIONS
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    default_ignore_patterns: tuple[str, ...] = DEFAULT_IGNORE_PATTERNS
    ignore_file: str = ".indexignore"
    global_ignore_file: Path | None = None
    secret_files: tuple[str, ...] = SECRET_FILES
    _smallest_limit_bytes: int = field(init=False, repr=False, compare=False)
    _secret: _Names = field(init=False, repr=False, compare=False)
    _admitted: _Names = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "binary_extensions", _extensions(self.binary_extensions))
        object.__setattr__(self, "document_extensions", _extensions(self.document_extensions))
        limits = (self.max_file_size_bytes, self.max_prose_bytes, self.max_document_bytes)
        object.__setattr__(self, "_smallest_limit_bytes", min(limits))
        object.__setattr__(self, "_secret", _Names(p for p in self.secret_files if not p.startswith("!")))
        object.__setattr__(self, "_admitted", _Names(p[1:] for p in self.secret_files if p.startswith("!")))

    def is_document(self, path: str) -> bool:
        """Whether a parser of a document format reads this path."""
        return extension(path) in self.document_extensions

    def limit_bytes(self, path: str) -> int:
        """The size above which this path is skipped."""
        return self._limit(path)[0]

    def skip_by_name(self, path: str) -> Skip | None:
        """The skip that a path deserves for its name alone, or None."""
        if pattern := self._secret_pattern(path):
            return Skip(path, SkipReason.SECRET_FILE, f"name matches {pattern}")
        suffix = extension(path)
        if suffix in self.binary_extensions:
            return Skip(path, SkipReason.BINARY_EXTENSION, f".{suffix}")
        if "so" in self.binary_extensions and ".so." in path and _VERSIONED_LIBRARY.fullmatch(path):
            return Skip(path, SkipReason.BINARY_EXTENSION, ".so with a version")
        return None

    def skip_by_size(self, path: str, size_bytes: int) -> Skip | None:
        """The skip that a path deserves for its size, or None."""
        # Most files are below every limit: what kind they are need not be known for that.
        if size_bytes <= self._smallest_limit_bytes or size_bytes <= self.limit_bytes(path):
            return None
        return Skip(path, SkipReason.TOO_LARGE, self.size_detail(path, size_bytes))

    def _secret_pattern(self, path: str) -> str:
        """The pattern that calls a path a secret, or ""."""
        tail = f"/{path}".lower()
        tail = tail[tail.rfind("/", 0, tail.rfind("/")) + 1 :] if "/" in path else tail
        if not self._secret.match(tail) or self._admitted.match(tail):
            return ""
        return next(p for p in self.secret_files if not p.startswith("!") and _Names((p,)).match(tail))

    def size_detail(self, path: str, size_bytes: int) -> str:
        """Size, limit and the setting that moves it, for people."""
        limit, key = self._limit(path)
        return f"{size_bytes:,} bytes; {key} is {limit:,}"

    def _limit(self, path: str) -> tuple[int, str]:
        if self.is_document(path):
            return self.max_document_bytes, "maxDocumentBytes"
        if self.is_prose(path):
            return self.max_prose_bytes, "maxProseBytes"
        return self.max_file_size_bytes, "maxFileSizeBytes"


def extension(path: str) -> str:
    """What follows the last dot of the name, lower case; "" for none and for names like ``.png``."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot + 1 :].lower() if dot > 0 else ""


def _extensions(given: Iterable[str]) -> frozenset[str]:
    return frozenset(e.strip().lower().removeprefix("*").removeprefix(".") for e in given) - {""}


class _Names:
    """Patterns over a name or over folder/name, told apart by what they cost: whole names, endings, real globs."""

    def __init__(self, patterns: Iterable[str]) -> None:
        lower = [pattern.lower() for pattern in patterns]
        endings = [p for p in lower if p.startswith("*") and _is_literal(p[1:]) and "/" not in p]
        self._whole = frozenset(filter(_is_literal, lower))
        self._endings = tuple(p[1:] for p in endings)
        self._globs = [p for p in lower if not _is_literal(p) and p not in endings]

    def match(self, tail: str) -> bool:
        """Whether one of them speaks of a path by its last two parts ("folder/name", "/name"), in lower case."""
        name = tail[tail.index("/") + 1 :]
        return (
            name in self._whole
            or tail in self._whole
            or name.endswith(self._endings)
            or self._on_name.fullmatch(name) is not None
            or self._on_tail.fullmatch(tail) is not None
        )

    @cached_property
    def _on_name(self) -> re.Pattern[str]:
        return _any_of(p for p in self._globs if "/" not in p)

    @cached_property
    def _on_tail(self) -> re.Pattern[str]:
        return _any_of(p for p in self._globs if "/" in p)


_GLOB = re.compile(r"[*?\[]")


def _is_literal(pattern: str) -> bool:
    return not _GLOB.search(pattern)


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, globs)) or "(?!)")
