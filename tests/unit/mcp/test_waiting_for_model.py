"""Nothing is refused because the model is not there yet."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from gnomon.config import Config
from gnomon.errors import ModelError
from gnomon.mcp.progress import Progress
from gnomon.mcp.service import Service
from tests.fakes.embedder import FakeEmbedder
from tests.unit.mcp.conftest import RunTool


@pytest.fixture
def loading(service: Service) -> Iterator[threading.Event]:
    """The service as it is right after its start; the event lets the model be there."""
    go = threading.Event()
    service.model.reset()

    def load() -> None:
        if go.wait(10):
            service.model.load()

    thread = threading.Thread(target=load)
    thread.start()
    yield go
    go.set()
    thread.join()


def test_grounded_answer_waits_for_the_model(run: RunTool, service: Service, loading: threading.Event) -> None:
    """The very first question is judged like every other."""
    threading.Timer(0.05, loading.set).start()
    first = run("search_notes", query="The client refreshes its access token early.")[0]
    assert (first["hits"][0]["label"] != "exact", first["degraded"]) == (True, "")
    assert first["hits"] == run("search_notes", query="The client refreshes its access token early.")[0]["hits"]


def test_model_that_does_not_come_is_no_refusal(run: RunTool, service: Service, loading: threading.Event) -> None:
    """Whatever the tool: what words do not find may still be there."""
    service._model_seconds = 0.05
    for tool in ("search_notes", "search"):
        with pytest.raises(ModelError, match="cannot judge yet: the model is loading"):
            run(tool, query="quasar spectroscopy")
    with pytest.raises(ModelError, match="cannot judge yet"):
        run("search", query="quasar spectroscopy", minConfidence=0.2)


def test_words_that_find_something_wait_no_longer_than_a_moment(
    run: RunTool, service: Service, loading: threading.Event
) -> None:
    """An answer is worth more than a better one much later, and it says what it is."""
    assert service._patience_seconds <= 2
    service._patience_seconds = 0.05
    fields, _ = run("search", query="espresso")
    assert (fields["hits"][0]["label"], fields["degraded"]) == ("exact", "model loading")
    assert not loading.is_set()


def test_model_that_comes_in_that_moment_answers(run: RunTool, service: Service, loading: threading.Event) -> None:
    """The first question of a session is answered like every later one."""
    service._patience_seconds = 10
    threading.Timer(0.05, loading.set).start()
    first = run("search", query="espresso")[0]
    assert first["degraded"] == ""
    assert first["hits"] == run("search", query="espresso")[0]["hits"]


def test_search_without_a_hit_by_words_waits_for_the_model(
    run: RunTool, service: Service, loading: threading.Event
) -> None:
    """What has no word of the question in it may still answer it."""
    threading.Timer(0.05, loading.set).start()
    assert run("search", query="quasar spectroscopy")[0]["degraded"] == ""


def test_failed_model_is_no_refusal_either(run: RunTool, service: Service, embedder: FakeEmbedder) -> None:
    """The reason is told, and nothing is said of relevance."""
    embedder.failure = "model file x is missing"
    service.model.load()
    with pytest.raises(ModelError, match=r"cannot judge: .*model failed: model file x is missing"):
        run("search_notes", query="quasar spectroscopy")


def test_question_without_a_word_waits_for_nothing(run: RunTool, service: Service, loading: threading.Event) -> None:
    """No model has anything to add to it."""
    assert run("search", query="???")[0]["hits"] == []


def test_waiting_is_told_and_can_be_given_up(service: Service, loading: threading.Event) -> None:
    """A client that asked for progress learns what it waits for; one that cancels is let go."""
    progress, options = Progress(), service.corpus.search_options(ranking="grounded")
    with pytest.raises(ModelError, match="cannot judge yet"):
        service.search("quasar spectroscopy", options, progress=progress, stop=lambda: True)
    assert progress.message == "waiting for the model, which is loading"


def test_wait_has_a_bound(config: Config, embedder: FakeEmbedder) -> None:
    """Clients give up on a tool after a while."""
    service = Service(config)
    assert 5 <= service._model_seconds <= 30
    service.corpus.close()
