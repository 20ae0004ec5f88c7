"""Settings that arrive with a clone keep to their project until the user trusts this very file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gnomon.config import Config, load_config
from gnomon.config.keys import KEYS
from gnomon.errors import ConfigError
from gnomon.trust import (
    grant_trust,
    is_trusted,
    require_trust,
    revoke_trust,
    settings_digest,
    trust_file,
    untrusted_reasons,
)


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data is kept below the test's own folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("GNOMON_STORE_BACKEND", "SS_STORE_BACKEND", "GNOMON_INDEX_DIR", "SS_INDEX_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "data"


def project(tmp_path: Path, **settings: Any) -> Config:
    """A project with these settings checked in."""
    file = tmp_path / "project" / ".rag" / "config.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings), "utf-8")
    return load_config(file)


def test_settings_inside_the_project_need_no_trust(tmp_path: Path) -> None:
    """The usual project file passes without a question."""
    config = project(tmp_path, vaultPath="..", indexPath="index.db", embedUrl="http://127.0.0.1:11434/api")
    assert untrusted_reasons(config) == []
    require_trust(config)


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"vaultPath": "../.."}, "vaultPath"),
        ({"vaultPath": "/etc"}, "vaultPath"),
        ({"vaultPath": "~"}, "vaultPath"),
        ({"defaultRoots": ["..", "../../other"]}, "defaultRoots"),
        ({"defaultRoot": "/"}, "defaultRoots"),
        ({"allowIndexRoots": ["/home"]}, "allowIndexRoots"),
        ({"indexPath": "../../index"}, "indexPath"),
        ({"indexPath": "s3://bucket/index"}, "indexPath"),
        ({"indexPath": "postgres:other_team"}, "indexPath"),
        ({"ignoreFile": "../../ignore"}, "ignoreFile"),
        ({"embedUrl": "https://example.com/v1"}, "embedUrl"),
        ({"allowRemote": True}, "allowRemote"),
        ({"storeBackend": "postgres"}, "storeBackend"),
    ],
)
def test_reaching_beyond_the_project_is_refused_with_its_reason(
    tmp_path: Path, settings: dict[str, Any], key: str
) -> None:
    """Each way out is named by its key, and the text says how to go on."""
    with pytest.raises(ConfigError, match=rf"- {key} [^\n]+\nRead .*gnomon trust"):
        require_trust(project(tmp_path, **settings))


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1@example.com",
        "http://example.com\\@127.0.0.1/",
        "http://localhost.example.com",
        "http://127.0.0.1.example.com",
        "http://localhost:1@example.com/",
        "http://0x7f.1",
        "//localhost",
        "http://localhost\nhost: example.com",
    ],
)
def test_address_that_only_looks_local_is_another_host(tmp_path: Path, url: str) -> None:
    """What two parsers may read differently is not taken for the loopback."""
    assert any("embedUrl" in reason for reason in untrusted_reasons(project(tmp_path, embedUrl=url)))


def test_link_out_of_the_project_counts_as_outside(tmp_path: Path) -> None:
    """A checked-in symbolic link is no way around the check."""
    (tmp_path / "elsewhere").mkdir()
    project(tmp_path)
    (tmp_path / "project" / "docs").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "project" / ".rag" / "index").symlink_to(tmp_path / "elsewhere")
    reasons = untrusted_reasons(project(tmp_path, vaultPath="../docs"))
    assert [reason.split()[0] for reason in reasons] == ["vaultPath", "indexPath"]


def test_reason_cannot_steer_the_terminal(tmp_path: Path) -> None:
    """Text of a stranger's file is shown escaped."""
    reasons = untrusted_reasons(project(tmp_path, embedUrl="http://x\x1b[2J\u202e"))
    assert "\x1b" not in reasons[0]
    assert "\u202e" not in reasons[0]


def test_own_settings_of_the_user_are_never_asked_about(tmp_path: Path) -> None:
    """Only a project's file needs trust."""
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"defaultRoots": ["/"], "allowRemote": True}), "utf-8")
    assert untrusted_reasons(load_config(file)) == []


def test_store_chosen_in_the_environment_is_the_users_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment is the user's, not the project's."""
    monkeypatch.setenv("GNOMON_STORE_BACKEND", "postgres")
    assert untrusted_reasons(project(tmp_path)) == []


def test_trusted_file_passes_until_it_changes(tmp_path: Path) -> None:
    """Trust is for one content of one file."""
    config = project(tmp_path, allowRemote=True)
    grant_trust(config.file, settings_digest(config.file))
    require_trust(config)
    changed = project(tmp_path, allowRemote=True, vaultPath="/")
    assert not is_trusted(changed)
    with pytest.raises(ConfigError, match="vaultPath"):
        require_trust(changed)


def test_file_that_changed_while_it_was_read_is_not_trusted(tmp_path: Path) -> None:
    """What is trusted is what the user saw, not what lies there afterwards."""
    seen = settings_digest(project(tmp_path, allowRemote=True).file)
    config = project(tmp_path, allowRemote=True, vaultPath="/")
    grant_trust(config.file, seen)
    assert not is_trusted(config)


def test_revoked_trust_is_gone_and_others_stay(tmp_path: Path) -> None:
    """Taking trust back touches one file only."""
    config = project(tmp_path, allowRemote=True)
    grant_trust(config.file, settings_digest(config.file))
    grant_trust(tmp_path / "other", "0" * 64)
    assert revoke_trust(config.file)
    assert not is_trusted(config)
    assert not revoke_trust(config.file)
    assert list(json.loads(trust_file().read_text("utf-8"))["trusted"]) == [str(tmp_path / "other")]


def test_damaged_list_of_trust_grants_nothing(tmp_path: Path) -> None:
    """A list that cannot be read is an error that says where, never a yes."""
    config = project(tmp_path, allowRemote=True)
    trust_file().parent.mkdir(parents=True)
    trust_file().write_text('{"trusted": [', "utf-8")
    with pytest.raises(ConfigError, match="line 1, column"):
        require_trust(config)
    trust_file().write_text('{"trusted": true}', "utf-8")
    with pytest.raises(ConfigError, match="must map"):
        is_trusted(config)


CHECKED = {
    *("defaultRoots", "vaultPath", "indexPath", "ignoreFile", "allowIndexRoots"),
    *("embedUrl", "allowRemote", "storeBackend"),
}
HARMLESS = {
    *("include", "modelName", "embedModel", "embedApi", "modelDtype", "embedBatchSize", "chunk", "defaultTopK"),
    *("searchPoolMultiplier", "searchPoolMin", "lexicalBoostWeight", "hybridSearch", "fusion", "rrfK", "perFile"),
    *("ranking", "binaryExtensions", "maxFileSizeBytes", "maxProseBytes", "maxDocumentBytes", "defaultIgnorePatterns"),
    "concurrency",
    *("threads", "serverName", "toolDescription", "defaultExclude", "minScore", "relativeCutoff", "lexicalMaxDocFreq"),
    *("pathBoosts", "minConfidence", "hiddenStatuses", "allowedSecrets", "watch"),
}


def test_every_key_of_the_settings_has_been_judged() -> None:
    """A new key that names a place, a host or a program must be checked here before a stranger's file may set it."""
    assert set(KEYS) == CHECKED | HARMLESS
