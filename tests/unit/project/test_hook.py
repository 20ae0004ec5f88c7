"""The hook (B7): at once, at most one run per 30 s, no change lost, one warning per failing episode, a bounded log."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.config import load_values
from gnomon.project.hook import INTERVAL_SECONDS, TRIES, Clock, Outcome, concerns, edited_path, on_edit, work
from gnomon.project.hook_state import MAX_LOG_BYTES, HookState

GOOD = Outcome(0)
BAD = Outcome(2, "Traceback of something\ngnomon: the model server does not answer\nmore")


@dataclass
class Desk:
    """A project with a hook whose time, runs and worker processes are played by the test."""

    state: HookState
    now: float = 1_000_000.0
    runs: list[float] = field(default_factory=list)
    workers: int = 0
    edits: int = 0  # made so far
    indexed: int = 0  # of them, known to the index
    outcomes: list[Outcome] = field(default_factory=list)
    during_run: Callable[[], object] = lambda: None
    during_sleep: Callable[[], object] = lambda: None

    def edit(self, *, concerned: bool = True) -> str | None:
        """The agent saved a file; returns the warning it is shown."""
        self.edits += concerned
        return on_edit(self.state, concerned=concerned, start_worker=self._start)

    def work(self) -> int:
        """The worker process that an edit started gets its turn."""
        self.workers = max(0, self.workers - 1)
        return work(self.state, self._run, Clock(now=lambda: self.now, sleep=self._sleep))

    def _start(self) -> None:
        self.workers += 1

    def _run(self) -> Outcome:
        self.runs.append(self.now)
        self.now += 2.0
        seen = self.edits
        self.during_run()
        outcome = self.outcomes.pop(0) if self.outcomes else GOOD
        self.indexed = seen if outcome == GOOD else self.indexed
        return outcome

    def _sleep(self, seconds: float) -> None:
        assert 0 < seconds <= INTERVAL_SECONDS
        self.now += seconds
        self.during_sleep()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project folder without any trace of the hook."""
    return Desk(HookState(tmp_path))


def once(action: Callable[[], object]) -> Callable[[], None]:
    """The action at the first call only."""
    todo = [action]

    def act() -> None:
        if todo:
            todo.pop()()

    return act


def test_b7_edit_starts_one_background_run(desk: Desk) -> None:
    """The edit itself runs nothing; the worker does."""
    assert desk.edit() is None
    assert (desk.workers, desk.runs) == (1, [])
    desk.work()
    assert len(desk.runs) == 1
    assert not desk.state.has_work


def test_edit_of_another_file_starts_nothing(desk: Desk) -> None:
    """What cannot change the index is not noted."""
    desk.edit(concerned=False)
    assert (desk.workers, desk.state.has_work) == (0, False)


def test_b7_runs_start_at_most_every_30_seconds(desk: Desk) -> None:
    """However often the agent saves, the starts are that far apart."""
    for _ in range(5):
        desk.edit()
        desk.work()
    assert len(desk.runs) == 5
    assert all(later - earlier >= INTERVAL_SECONDS for earlier, later in pairwise(desk.runs))


def test_many_edits_while_waiting_become_one_run(desk: Desk) -> None:
    """Saves within the interval are indexed together, by the worker that waits already."""
    desk.edit()
    desk.work()
    desk.edit()
    desk.workers = 0
    desk.during_sleep = once(lambda: [desk.edit() for _ in range(10)])
    desk.work()
    assert (len(desk.runs), desk.workers) == (2, 0)


def test_b7_edit_during_a_run_is_not_lost(desk: Desk) -> None:
    """A run may have passed the file already when it changes."""
    desk.edit()
    desk.during_run = once(desk.edit)
    desk.work()
    assert len(desk.runs) == 2
    assert not desk.state.has_work


def test_b7_edit_at_the_end_of_a_worker_is_not_lost(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such an edit sees a worker and starts none, so the worker looks once more after it has let go."""
    desk.edit()
    unlock, edit_late = desk.state.unlock, once(lambda: edit_elsewhere(desk))

    def unlock_late() -> None:
        edit_late()
        unlock()

    monkeypatch.setattr(desk.state, "unlock", unlock_late)
    desk.work()
    assert len(desk.runs) == 2
    assert not desk.state.has_work


def edit_elsewhere(desk: Desk) -> None:
    """Another process of the hook notes an edit while the worker holds the lock."""
    other = HookState(desk.state.folder)
    assert other.has_worker()
    other.mark()


def test_two_workers_do_not_run_at_once(desk: Desk) -> None:
    """The second one leaves the work to the first."""
    desk.edit()
    second: list[int] = []
    clock = Clock(now=lambda: desk.now, sleep=lambda _: None)
    desk.during_run = once(lambda: second.append(work(HookState(desk.state.folder), lambda: GOOD, clock)))
    desk.work()
    assert (second, len(desk.runs)) == ([0], 1)


def test_change_of_a_worker_that_died_is_taken_up_by_the_next(desk: Desk) -> None:
    """Killed in the middle of a run, or lost power: the note of the edit is still there."""
    desk.edit()

    def die() -> None:
        raise KeyboardInterrupt

    desk.during_run = once(die)
    with pytest.raises(KeyboardInterrupt):
        desk.work()
    assert desk.state.has_work
    desk.work()
    assert len(desk.runs) == 2
    assert not desk.state.has_work


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
def test_machine_that_slept_or_set_its_clock_loses_no_change(desk: Desk, jump: float) -> None:
    """The wait is never longer than the interval, and the run comes."""
    desk.edit()
    desk.work()
    desk.now += jump
    before = desk.now
    desk.edit()
    desk.work()
    assert len(desk.runs) == 2
    assert desk.runs[1] - before <= INTERVAL_SECONDS


def test_machine_that_sleeps_while_the_worker_waits_loses_no_change(desk: Desk) -> None:
    """The worker wakes with the machine and goes on."""
    desk.edit()
    desk.work()
    desk.edit()

    def suspend() -> None:
        desk.now += 8 * 3600

    desk.during_sleep = suspend
    desk.work()
    assert len(desk.runs) == 2
    assert not desk.state.has_work


def test_b7_failing_episode_is_warned_of_once_and_not_per_save(desk: Desk) -> None:
    """The first save after the failure brings the warning, with the reason; the others are quiet."""
    desk.outcomes = [BAD] * 100
    warnings = []
    for _ in range(6):
        warnings.append(desk.edit())
        desk.work()
    assert [w for w in warnings if w] == ["the model server does not answer"]


def test_next_failing_episode_is_warned_of_again(desk: Desk) -> None:
    """A success ends an episode."""
    warnings = []
    for outcomes in ([BAD] * TRIES, [GOOD], [BAD] * TRIES, [GOOD]):
        desk.outcomes = list(outcomes)
        warnings.append(desk.edit())
        desk.work()
    assert [bool(w) for w in warnings] == [False, True, False, True]


def test_failed_run_is_tried_again_a_few_times(desk: Desk) -> None:
    """A server that is still starting does not cost the change."""
    desk.outcomes = [BAD, BAD, GOOD]
    desk.edit()
    desk.work()
    assert len(desk.runs) == TRIES
    assert not desk.state.has_work
    assert desk.edit(concerned=False) is None


def test_change_whose_runs_all_failed_is_taken_up_by_the_next_edit(desk: Desk) -> None:
    """Giving up for now does not forget it."""
    desk.outcomes = [BAD] * TRIES
    desk.edit()
    desk.work()
    assert len(desk.runs) == TRIES
    assert desk.state.has_work
    desk.edit()
    desk.work()
    assert not desk.state.has_work


def test_b7_log_says_what_happened_and_stays_bounded(desk: Desk) -> None:
    """The reason is in it, nothing in it steers a terminal, and old lines go."""
    desk.outcomes = [Outcome(3, "x" * 4000 + "\x1b[2J")] * TRIES
    for _ in range(40):
        desk.edit()
        desk.work()
        desk.outcomes = [Outcome(3, "x" * 4000 + "\x1b[2J")] * TRIES
    log = (desk.state.folder / "hook.log").read_bytes()
    assert b"failed with exit code 3" in log
    assert b"\x1b" not in log
    assert len(log) <= MAX_LOG_BYTES


@given(steps=st.lists(st.sampled_from(["edit", "work", "fail", "die", "edit during run"]), max_size=12))
def test_b7_no_order_of_events_loses_a_change(tmp_path_factory: pytest.TempPathFactory, steps: list[str]) -> None:
    """Whatever happened before: after one more edit and a run that works, the index holds the last edit."""
    desk = Desk(HookState(tmp_path_factory.mktemp("hook")))

    def die() -> None:
        raise KeyboardInterrupt

    actions: dict[str, Callable[[], object]] = {"die": die, "edit during run": desk.edit}
    for step in steps:
        if step == "edit":
            desk.edit()
            continue
        desk.outcomes = [BAD] * TRIES if step == "fail" else []
        desk.during_run = once(actions.get(step, lambda: None))
        with contextlib.suppress(KeyboardInterrupt):
            desk.work()
        assert desk.indexed == desk.edits or desk.state.has_work
    desk.outcomes, desk.during_run = [], lambda: None
    desk.edit()
    desk.work()
    assert desk.indexed == desk.edits
    assert all(later - earlier >= INTERVAL_SECONDS for earlier, later in pairwise(desk.runs))


# -- which edits concern the index ------------------------------------------------------------------------------------
@pytest.fixture
def settings(root: Path) -> Path:
    """A project whose documents are in docs and in Markdown files at the top."""
    file = root / ".rag" / "config.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"vaultPath": "..", "include": ["docs/", "*.md"]}), "utf-8")
    return file


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/a.md", True),
        ("docs/deep/a.py", True),
        ("README.md", True),
        ("src/a.py", False),
        (".rag/hook.log", False),
        (".rag/index/x.md", False),
        (".git/COMMIT_EDITMSG.md", False),
        ("../elsewhere.md", False),
    ],
)
def test_b7_only_edits_that_the_index_could_hold_concern_it(
    settings: Path, root: Path, path: str, *, expected: bool
) -> None:
    """Inside the folders and the include list, and not the index or the hook's own files."""
    edited = edited_path({"cwd": str(root), "tool_input": {"file_path": path}})
    assert edited is not None
    assert concerns(settings, load_values(settings), edited) is expected


def test_edit_through_a_link_counts_for_what_it_points_to(settings: Path, root: Path, tmp_path: Path) -> None:
    """An agent may know the project under another path."""
    (tmp_path / "alias").symlink_to(root)
    edited = edited_path({"tool_input": {"file_path": str(tmp_path / "alias" / "docs" / "a.md")}})
    assert edited is not None
    assert concerns(settings, load_values(settings), edited)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"tool_input": None},
        {"tool_input": {}},
        {"tool_input": {"file_path": 1}},
        {"tool_input": {"file_path": "a\0"}},
    ],
)
def test_message_without_a_file_is_no_edit(payload: dict[str, object]) -> None:
    """Other tools send other messages."""
    assert edited_path(payload) is None
