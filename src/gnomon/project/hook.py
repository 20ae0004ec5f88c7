"""The hook: an agent wrote a file, so the index is brought up to date behind its back.

``on_edit`` is the agent's side and returns at once; ``work`` is the background side. They meet in ``HookState``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.config import PROJECT_CONFIG, index_place, named_roots
from gnomon.config.paths import real
from gnomon.project.hook_state import HookState

INTERVAL_SECONDS = 30.0
TRIES = 3  # a server that is just starting deserves a second look; what needs the user does not get better by itself
_COMPLAINT = "gnomon: "


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.

    Attributes:
        code: Exit code.
        output: What it had to say.
    """

    code: int
    output: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the worker sees it.

    Attributes:
        now: Seconds since 1970; may jump.
        sleep: Waits for seconds.
    """

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


def edited_path(payload: Mapping[str, Any]) -> Path | None:
    """The file that Claude Code's PostToolUse message speaks of, absolute and with links resolved; None for none."""
    tool_input = payload.get("tool_input")
    name = tool_input.get("file_path") if isinstance(tool_input, Mapping) else None
    if not isinstance(name, str) or not name or "\0" in name:
        return None
    folder = payload.get("cwd")
    return Path(os.path.realpath(os.path.join(folder if isinstance(folder, str) else "", name)))  # noqa: PTH118


def concerns(file: Path, values: Mapping[str, Any], path: Path) -> bool:
    """Whether an edit can change the index: cheap, and rather once too often than not at all.

    Args:
        file: The settings file.
        values: Its settings, as ``load_values`` gives them.
        path: What was edited, as ``edited_path`` gives it.

    Raises:
        ConfigError: The settings name a folder that cannot be one.
    """
    own = [real(index_place(file, values["indexPath"]))]
    if file.parts[-2:] == PROJECT_CONFIG.parts:
        own.append(real(file.parent))
    if any(path.is_relative_to(place) for place in own):
        return False
    for root in named_roots(file, values):
        if path.is_relative_to(root):
            relative = path.relative_to(root)
            if ".git" not in relative.parts and _is_included(values["include"], relative.as_posix()):
                return True
    return False


def on_edit(state: HookState, *, concerned: bool, start_worker: Callable[[], None]) -> str | None:
    """Note an edit and see to it that a worker takes it up.

    Args:
        state: The hook's files.
        concerned: Whether the edit can change the index.
        start_worker: Starts ``work`` in a process of its own and returns at once.

    Returns:
        A warning for the user: why runs fail, once per failing episode.
    """
    if concerned:
        state.mark()
        if not state.has_worker():
            start_worker()
    return state.take_warning()


def work(state: HookState, run_index: Callable[[], Outcome], clock: Clock) -> int:
    """Run the index until no edit is left, at most once per ``INTERVAL_SECONDS``.

    Args:
        state: The hook's files.
        run_index: One run over the project; returns when it is done.
        clock: Time.

    Returns:
        How many runs there were; 0 where another worker is at it.
    """
    runs = 0
    while state.lock():
        try:
            runs += _work_off(state, run_index, clock)
        finally:
            state.unlock()
        # An edit that came after the last look saw the lock taken and started nobody.
        if not state.has_edit:
            break
    return runs


def _work_off(state: HookState, run_index: Callable[[], Outcome], clock: Clock) -> int:
    runs = failures = 0
    while state.has_work:
        _wait_for_turn(state, clock)
        state.take(clock.now())
        outcome = run_index()
        runs += 1
        if outcome.code == 0:
            failures = 0
            state.finish()
            state.log(f"{_stamp(clock)} indexed")
            continue
        failures += 1
        state.log(f"{_stamp(clock)} failed with exit code {outcome.code}\n{outcome.output.strip()}")
        state.fail(_gist(outcome))
        if failures >= TRIES and not state.has_edit:
            break  # the edits stay noted: the next one starts a worker, which takes them up too
    return runs


def _wait_for_turn(state: HookState, clock: Clock) -> None:
    """Wait until the interval since the last start is over; a clock that was set back does not make it longer."""
    left = state.last_start + INTERVAL_SECONDS - clock.now()
    if left > 0:
        clock.sleep(min(left, INTERVAL_SECONDS))


def _gist(outcome: Outcome) -> str:
    """The line in which a run says what is wrong: the program's complaint, or else its last words."""
    lines = outcome.output.strip().splitlines() or [f"exit code {outcome.code}"]
    return next((line.removeprefix(_COMPLAINT) for line in lines if line.startswith(_COMPLAINT)), lines[-1])


def _stamp(clock: Clock) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(clock.now()))


def _is_included(include: Sequence[str], relative: str) -> bool:
    patterns = [pattern.rstrip("/") for pattern in include]
    if not patterns or any(relative == p or relative.startswith(f"{p}/") for p in patterns):
        return True
    from gnomon.discover import matches_glob

    return any(matches_glob(relative, pattern) for pattern in patterns)
