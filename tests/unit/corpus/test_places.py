"""Where the settings put the index, for each kind of store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.config import Config, load_config
from gnomon.corpus.places import index_place
from gnomon.errors import UsageError


def config(folder: Path, **values: object) -> Config:
    """Settings of a project in that folder."""
    file = folder / ".rag" / "config.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values), "utf-8")
    return load_config(file)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GNOMON_STORE_BACKEND", "SS_STORE_BACKEND", "GNOMON_INDEX_DIR", "SS_INDEX_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_files_and_folders_lie_in_the_index_folder(tmp_path: Path) -> None:
    """Each kind under a name of its own, so that both can be there while an index moves."""
    settings = config(tmp_path)
    places = {index_place(settings, backend) for backend in ("sqlite", "lancedb")}
    assert places == {settings.index_dir / "gnomon.db", settings.index_dir / "gnomon.lance"}


def test_bucket_is_for_lancedb_and_a_corpus_for_postgres(tmp_path: Path) -> None:
    """As written; locks stay in a folder of this machine."""
    bucket = config(tmp_path, indexPath="s3://indexes/team")
    assert index_place(bucket, "lancedb") == "s3://indexes/team"
    assert bucket.index_dir.is_relative_to(tmp_path)
    corpus = config(tmp_path, indexPath="postgres:team?service=search")
    assert index_place(corpus, "postgres") == "postgres:team?service=search"
    assert index_place(corpus, "sqlite") == corpus.index_dir / "gnomon.db"


def test_project_has_a_corpus_of_its_own(tmp_path: Path) -> None:
    """Two projects of one name do not meet in one database; the name is one that the store takes."""
    place = pytest.importorskip("gnomon.store.postgres.place", reason="the extra gnomon[postgres] is not installed")
    one, two = tmp_path / "a" / "Über Docs!", tmp_path / "b" / "Über Docs!"
    names = {str(index_place(config(folder), "postgres")) for folder in (one, two)}
    assert len(names) == 2
    for name in names:
        assert place.Place.named(name).schema.startswith("gnomon_p_ber_docs_")
    with pytest.raises(UsageError):
        place.Place.named("postgres:Über")
