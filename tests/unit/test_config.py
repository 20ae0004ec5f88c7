"""Settings: what is in force, where it comes from, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gnomon.config import data_dir, find_config, load_config, name_folders, real_folder, user_config_file
from gnomon.config.settings_file import read_raw, write_raw
from gnomon.errors import ConfigError, FolderError


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SS_CONFIG_PATH", "SS_INDEX_DIR", "SS_STORE_BACKEND", "GNOMON_CONFIG_PATH", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "conf"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _write(file: Path, **values: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values), encoding="utf-8")
    return file


def test_absent_file_means_the_defaults(tmp_path: Path) -> None:
    """Without a settings file every key has its default."""
    config = load_config(tmp_path / "none.json")
    assert config["defaultTopK"] == 5
    assert config["chunk"] == {"targetTokens": 200, "overlapTokens": 35, "hardTokenLimit": 254}
    assert config.folders == ()


def test_partial_chunk_keeps_the_other_defaults(tmp_path: Path) -> None:
    """Setting one chunk size leaves the others alone."""
    config = load_config(_write(tmp_path / "c.json", chunk={"targetTokens": 100}))
    assert config["chunk"] == {"targetTokens": 100, "overlapTokens": 35, "hardTokenLimit": 254}


def test_one_limit_that_is_set_holds_for_every_text(tmp_path: Path) -> None:
    """Prose has a larger limit only as long as the predecessor's key says nothing."""
    assert load_config(tmp_path / "none.json")["maxProseBytes"] == 5_000_000
    assert load_config(_write(tmp_path / "a.json", maxFileSizeBytes=500_000))["maxProseBytes"] == 500_000
    assert load_config(_write(tmp_path / "b.json", maxFileSizeBytes=9, maxProseBytes=7))["maxProseBytes"] == 7


def test_relative_folders_start_at_the_settings_file(tmp_path: Path) -> None:
    """A relative root is relative to the file that names it, not to the working directory."""
    (tmp_path / "x" / "docs").mkdir(parents=True)
    config = load_config(_write(tmp_path / "x" / "c.json", defaultRoots=["docs"]))
    assert [folder.root for folder in config.folders] == [tmp_path / "x" / "docs"]


def test_singular_default_root_is_read(tmp_path: Path) -> None:
    """The first predecessor's singular key still works."""
    config = load_config(_write(tmp_path / "c.json", defaultRoot=str(tmp_path)))
    assert [folder.root for folder in config.folders] == [tmp_path]


def test_missing_folder_is_kept_apart(tmp_path: Path) -> None:
    """A folder that is not on disk is reported, not searched."""
    config = load_config(_write(tmp_path / "c.json", defaultRoots=[str(tmp_path / "gone")]))
    assert config.folders == ()
    assert config.missing == (tmp_path / "gone",)


def test_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``SS_STORE_BACKEND`` and ``SS_INDEX_DIR`` override what the file says."""
    monkeypatch.setenv("SS_STORE_BACKEND", "sqlite")
    monkeypatch.setenv("SS_INDEX_DIR", str(tmp_path / "i"))
    config = load_config(_write(tmp_path / "c.json", storeBackend="lancedb", indexPath="elsewhere"))
    assert config["storeBackend"] == "sqlite"
    assert config.index_dir == tmp_path / "i"


def test_broken_json_is_named_with_line_and_column(tmp_path: Path) -> None:
    """A syntax error names the place in the file."""
    file = tmp_path / "c.json"
    file.write_text('{\n  "defaultTopK": }', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"c\.json, line 2, column 18"):
        load_config(file)


@pytest.mark.parametrize(
    ("key", "value"),
    [("defaultTopK", 0), ("defaultTopK", "5"), ("storeBackend", "redis"), ("pathBoosts", {"a": -1}), ("watch", 1)],
)
def test_senseless_value_is_refused_by_name(tmp_path: Path, key: str, value: object) -> None:
    """A value of the wrong kind names key, value and what is expected."""
    with pytest.raises(ConfigError, match=rf"{key} is .* must be"):
        load_config(_write(tmp_path / "c.json", **{key: value}))


def test_overlap_above_target_is_refused(tmp_path: Path) -> None:
    """Chunk sizes that cannot be met together are refused."""
    with pytest.raises(ConfigError, match="overlapTokens < targetTokens"):
        load_config(_write(tmp_path / "c.json", chunk={"overlapTokens": 220}))


def test_unknown_keys_survive_a_rewrite(tmp_path: Path) -> None:
    """Keys nobody knows are kept when the file is written."""
    file = _write(tmp_path / "c.json", somebodyElses={"a": [1]})
    write_raw(file, {**read_raw(file), "defaultRoots": ["x"]})
    assert json.loads(file.read_text("utf-8")) == {"somebodyElses": {"a": [1]}, "defaultRoots": ["x"]}


def test_link_to_the_settings_file_stays_a_link(tmp_path: Path) -> None:
    """People keep settings in a dotfiles folder and link to them."""
    real = _write(tmp_path / "dotfiles" / "c.json", a=1)
    link = tmp_path / "c.json"
    link.symlink_to(real)
    write_raw(link, {"a": 2})
    assert link.is_symlink()
    assert read_raw(real) == {"a": 2}


def test_write_leaves_no_temporary_file(tmp_path: Path) -> None:
    """The file is replaced in one step and nothing is left beside it."""
    write_raw(tmp_path / "c.json", {"a": 1})
    assert [p.name for p in tmp_path.iterdir()] == ["c.json"]


def test_project_settings_above_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``.rag/config.json`` of an ancestor governs."""
    file = _write(tmp_path / "p" / ".rag" / "config.json", vaultPath="..")
    (tmp_path / "p" / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "p" / "a" / "b")
    assert find_config() == file
    assert find_config(walk=False) == user_config_file()
    assert load_config(file).project_root == tmp_path / "p"
    assert load_config(file).ranking == "grounded"


def test_relative_config_is_looked_for_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--config`` with a relative path walks up to the first ancestor that has it."""
    file = _write(tmp_path / "p" / "my.json")
    (tmp_path / "p" / "a").mkdir()
    monkeypatch.chdir(tmp_path / "p" / "a")
    assert find_config("my.json") == file


def test_claude_project_dir_comes_before_the_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under an agent a relative ``--config`` means the agent's project."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "q"))
    assert find_config("my.json") == tmp_path / "q" / "my.json"


def test_relative_xdg_directories_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The XDG specification has relative values ignored."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert user_config_file() == tmp_path / ".config" / "gnomon" / "config.json"


def test_folders_of_one_name_get_their_parents(tmp_path: Path) -> None:
    """Short names are unique."""
    folders = name_folders([tmp_path / "a" / "docs", tmp_path / "b" / "docs", tmp_path / "src"])
    assert [folder.name for folder in folders] == ["a/docs", "b/docs", "src"]


def test_folder_through_a_link_is_the_same_folder(tmp_path: Path) -> None:
    """A folder named twice, once through a link, is one folder."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert real_folder(str(tmp_path / "link")) == real_folder(str(tmp_path / "real"))


@pytest.mark.parametrize(("name", "message"), [("none", "no such folder"), ("file", "not a folder")])
def test_what_is_no_folder_is_named(tmp_path: Path, name: str, message: str) -> None:
    """A missing folder and a file are told apart."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(FolderError, match=message):
        real_folder(str(tmp_path / name))


@pytest.mark.parametrize("value", ["all", ["gone"], ["archived", 3], [["archived"]], {"archived": True}])
def test_statuses_that_do_not_exist_are_refused_with_those_that_do(tmp_path: Path, value: object) -> None:
    """At once, not when somebody searches."""
    file = _write(tmp_path / "c.json", hiddenStatuses=value)
    with pytest.raises(ConfigError, match=r'hiddenStatuses .*"living", "draft".*"archived"'):
        load_config(file)


def test_statuses_that_exist_are_taken(tmp_path: Path) -> None:
    """One may stand without a list, and none hides nothing."""
    assert load_config(_write(tmp_path / "c.json", hiddenStatuses="archived"))["hiddenStatuses"] == ("archived",)
    assert load_config(_write(tmp_path / "c.json", hiddenStatuses=[]))["hiddenStatuses"] == ()


@pytest.mark.parametrize("factor", [10**400, True, 0, "2"])
def test_boost_that_is_no_factor_is_refused(tmp_path: Path, factor: object) -> None:
    """A number that no float holds is none either."""
    with pytest.raises(ConfigError, match="pathBoosts"):
        load_config(_write(tmp_path / "c.json", pathBoosts={"docs/": factor}))


@pytest.mark.parametrize("depth", [300, 900, 100_000])
def test_settings_nested_too_deeply_are_refused(tmp_path: Path, depth: int) -> None:
    """While they are read, shown or written, wherever it is first met."""
    file = tmp_path / "c.json"
    file.write_text(f'{{"defaultRoots": {"[" * depth}{"]" * depth}}}', "utf-8")
    with pytest.raises(ConfigError):
        load_config(file)


def test_settings_too_deep_to_be_written_again_stay_as_they_are(tmp_path: Path) -> None:
    """An unknown key is kept, and where it cannot be, nothing is written."""
    file = tmp_path / "c.json"
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(ConfigError, match="nested too deeply"):
        write_raw(file, {"unknown": deep})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("key", "value"), [("ignoreFile", "a\0b"), ("defaultExclude", ["a", "\0"]), ("include", "\0")])
def test_nul_in_a_text_is_refused_by_the_name_of_its_key(tmp_path: Path, key: str, value: object) -> None:
    """The system takes no such name; it would fail later, where nobody knows whose it is."""
    with pytest.raises(ConfigError, match=f"{key} .*NUL"):
        load_config(_write(tmp_path / "c.json", **{key: value}))


def test_folder_that_cannot_be_looked_at_leaves_the_others(tmp_path: Path) -> None:
    """A name that no system takes, in one setting of many; it counts as missing."""
    (tmp_path / "docs").mkdir()
    config = load_config(_write(tmp_path / "config.json", defaultRoots=["x" * 5000, "docs"]))
    assert [folder.name for folder in config.folders] == ["docs"]
    assert len(config.missing) == 1


@pytest.mark.parametrize("written", ['{"serverName": "café"}'.encode("latin-1"), '{"watch": true}'.encode("utf-16")])
def test_settings_in_another_encoding_are_named_with_the_way_out(tmp_path: Path, written: bytes) -> None:
    """As an editor of old may save them."""
    file = tmp_path / "config.json"
    file.write_bytes(written)
    with pytest.raises(ConfigError, match=r"config\.json is no text in UTF-8.*save it"):
        load_config(file)


@pytest.mark.parametrize("home", [None, "relative/home"])
def test_want_of_a_home_is_said_with_the_way_out(monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    """As in a container that runs for a user whom its system does not know; with places named all is well."""
    import pwd

    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    monkeypatch.delenv("HOME", raising=False)
    if home:
        monkeypatch.setenv("HOME", home)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for place in (user_config_file, data_dir):
        with pytest.raises(ConfigError, match="HOME"):
            place()
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert data_dir() == Path("/data/gnomon")


def test_home_of_nobody_is_a_name_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a path is typed: no such folder, no such file."""
    monkeypatch.chdir(tmp_path)
    name = "~nobody-at-all/x"
    with pytest.raises(FolderError, match="no such folder"):
        real_folder(name)
    assert find_config(name) == tmp_path / name
    monkeypatch.setenv("GNOMON_CONFIG_PATH", name)
    assert find_config() == tmp_path / name


def test_links_in_a_circle_are_a_path_like_any_other(tmp_path: Path) -> None:
    """A folder of the settings behind one is missing, and one that is named is no folder."""
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    assert load_config(_write(tmp_path / "config.json", defaultRoots=["circle/docs"])).missing == (circle / "docs",)
    with pytest.raises(FolderError, match="no such folder"):
        real_folder(str(circle))


def test_one_module_asks_the_library_for_homes_and_real_paths() -> None:
    """Its own ways raise a RuntimeError, which no part expects, where there is no home and at links in a circle."""
    source = Path(__file__).parents[2] / "src" / "gnomon"
    asked = re.compile(r"\.expanduser\(\)|Path\.home\(|(?<!Path\(__file__\))(?<!, as_of\))\.resolve\(\)")
    assert not [path for path in source.rglob("*.py") if asked.search(path.read_text("utf-8"))]
