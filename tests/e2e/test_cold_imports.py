"""What each command imports: a cold start is the sum of it, and one careless import adds to all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.e2e.conftest import Program

# Dependencies, and what of the standard library takes 5 ms or more.
HEAVY = frozenset(
    {
        *("Stemmer", "charset_normalizer", "filelock", "mcp", "numpy", "onnxruntime", "pydantic", "pypdfium2"),
        *("python_calamine", "re2", "simsimd", "tomlkit", "tree_sitter", "watchfiles", "yaml"),
        *("anyio", "asyncio", "concurrent.futures", "email", "http.client", "logging", "multiprocessing", "sqlite3"),
        *("subprocess", "urllib.request", "xml"),
    }
)
# Parts of ours that only reading files needs.
READING = frozenset(
    {"gnomon.chunk.code", "gnomon.extract.extractor", "gnomon.extract.secrets", "gnomon.lifecycle.reading"}
)
RUN = """
import json, sys
from gnomon.__main__ import run
sys.argv = ["gnomon", *json.loads(sys.argv[1])]
code = run()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def indexed(shared_program: Callable[[str], Program]) -> Program:
    """A program that has indexed two files."""
    program = shared_program("imports")
    folder = program.home / "notes"
    folder.mkdir()
    (folder / "tokens.md").write_text("# Tokens\n\nA token is refreshed every hour.\n", encoding="utf-8")
    (folder / "session.py").write_text("def refresh(token):\n    return token\n", encoding="utf-8")
    program("index", str(folder))
    return program


def heavy_modules(program: Program, *arguments: str) -> set[str]:
    """What of the heavy modules a command has imported when it is done."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(arguments)],
        capture_output=True,
        encoding="utf-8",
        cwd=program.home,
        env=program.environment,
        timeout=60,
        check=True,
    )
    return set(json.loads(done.stderr.splitlines()[-1])) & (HEAVY | READING)


@pytest.mark.model
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--version"], set()),
        (["status"], {"sqlite3"}),
        (["why", "notes/tokens.md"], {"sqlite3", "subprocess"}),
        (["search", "--words-only", "token refreshed"], {"sqlite3", "Stemmer"}),
        (["search", "token refreshed"], {"sqlite3", "Stemmer", "numpy", "onnxruntime", "simsimd"}),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_command_imports_only_what_it_uses(indexed: Program, arguments: list[str], expected: set[str]) -> None:
    """Exactly these heavy modules: one more is a slower start, one less a stale list."""
    assert heavy_modules(indexed, *arguments) == expected


def test_version_imports_nothing_of_ours_but_the_program(gnomon: Program) -> None:
    """The commonest probe of installers and agents."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(["--version"])],
        capture_output=True,
        encoding="utf-8",
        cwd=gnomon.home,
        env=gnomon.environment,
        check=True,
    )
    ours = {name for name in json.loads(done.stderr.splitlines()[-1]) if name.startswith("gnomon")}
    assert ours == {"gnomon", "gnomon.__main__"}
