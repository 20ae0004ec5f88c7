"""``gnomon index --ray N``: the shares of a run as tasks of a Ray cluster; for those who have ``gnomon[ray]``.

A task starts the program on its node with the share's number, so a node needs what a machine of its own would need:
gnomon, settings and folders at the same paths, and the store's keys in its environment.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence

from gnomon.errors import MissingExtraError, StoreError
from gnomon.figures import number

_MOST_TOLD_CHARS = 500


def run_shares(count: int, arguments: Sequence[str], *, on_done: Callable[[str], None]) -> None:
    """Run ``gnomon index --shard I/N`` for every share on the cluster that ``RAY_ADDRESS`` names or this machine is of.

    Args:
        count: Shares; each takes one processor of the cluster at a time.
        arguments: Of ``index``, the same for each.
        on_done: Told of each share that is done, as "I/N".

    Raises:
        MissingExtraError: Ray is not installed.
        StoreError: There is no cluster, or shares failed; what the others did stays.
    """
    try:
        import ray
    except ImportError as e:
        raise MissingExtraError(feature="gnomon index --ray", extra="ray") from e

    if not ray.is_initialized():
        try:
            ray.init(address="auto", log_to_driver=False)
        except ConnectionError as e:
            raise StoreError("no Ray cluster is running here: ray start --head, or set RAY_ADDRESS") from e
    task = ray.remote(_run_share)
    waiting = {task.remote(f"{number}/{count}", list(arguments)): f"{number}/{count}" for number in range(1, count + 1)}
    failed: list[str] = []
    while waiting:
        (ended,), _ = ray.wait(list(waiting), num_returns=1)
        share = waiting.pop(ended)
        try:
            told = ray.get(ended)
        except ray.exceptions.RayError as e:  # a node that is gone, after Ray's own tries elsewhere
            told = str(e)
        if told:
            failed.append(f"share {share}: {told[-_MOST_TOLD_CHARS:]}")
        else:
            on_done(share)
    if failed:
        raise StoreError(f"{len(failed)} of {number(count, 'share')} failed; run it again. {' '.join(sorted(failed))}")


def _run_share(share: str, arguments: list[str]) -> str:
    """What went wrong on this node, "" where nothing did."""
    command = [sys.executable, "-m", "gnomon", "index", "--shard", share, "--quiet", *arguments]
    done = subprocess.run(  # noqa: S603 - this program
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    if not done.returncode:
        return ""
    return done.stderr.decode("utf-8", "replace").strip() or f"it ended with {done.returncode}"
