"""The default install stays small: an environment below 250 MB, without torch. Bytecode is counted apart (0025)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LIMIT_BYTES = 250_000_000
ABSENT = {"torch", "tokenizers", "huggingface-hub", "hf-xet", "transformers", "onnx", "lancedb", "tree-sitter-c-sharp"}


def needed() -> set[str]:
    """Names of all that the default install brings; extras only where a requirement asks for them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    queue = [(Requirement(line), "") for line in project["dependencies"]]
    found: set[tuple[str, str]] = set()
    while queue:
        requirement, asked_by = queue.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": asked_by}):
            continue
        for extra in {"", *requirement.extras} - {extra for known, extra in found if known == name}:
            found.add((name, extra))
            queue += [(Requirement(line), extra) for line in distribution(name).requires or ()]
    return {name for name, _ in found}


def size_bytes(name: str) -> int:
    """Of the files of a distribution as they were installed."""
    dist = distribution(name)
    return _sum(Path(str(dist.locate_file(file))) for file in dist.files or ())


def _sum(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.suffix != ".pyc" and file.is_file())


@pytest.mark.slow
def test_default_install_is_below_its_limit() -> None:
    """The message names the largest, since one new dependency is what breaks it."""
    sizes = {name: size_bytes(name) for name in needed()}
    sizes["gnomon"] = _sum((ROOT / "src" / "gnomon").rglob("*"))
    largest = sorted(sizes.items(), key=lambda row: -row[1])[:10]
    assert sum(sizes.values()) < LIMIT_BYTES, largest
    # A walk that finds nothing would pass as well.
    assert sizes["onnxruntime"] > 10_000_000
    assert sizes["gnomon"] > 20_000_000


def test_default_install_brings_none_of_the_giants() -> None:
    """What each of them would add is more than there is room for."""
    names = needed()
    assert names >= {"numpy", "onnxruntime", "mcp", "pydantic"}
    assert names & ABSENT == set()
