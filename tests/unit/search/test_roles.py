"""Tests of roles: what a path says of a file."""

from __future__ import annotations

import pytest

from gnomon.search.roles import behind_variants, is_private, other_folders, other_systems, other_versions, roles_of


@pytest.mark.parametrize(
    ("path", "roles"),
    [
        ("src/session.py", ()),
        ("tests/unit/session.py", ("test",)),
        ("src/test_session.py", ("test",)),
        ("pkg/session_test.go", ("test",)),
        ("src/session.spec.ts", ("test",)),
        ("src/session.test-d.ts", ("test",)),
        ("Newtonsoft.Json.Tests/Linq.cs", ("test",)),
        ("src/commonTest/Flow.kt", ("test",)),
        ("src/SessionTests.swift", ("test",)),
        ("lib/test_functions.bash", ()),
        ("src/latest/contest.py", ()),
        ("src/testament.rs", ()),
        ("examples/hello.py", ("example",)),
        ("_examples/rest/main.go", ("example",)),
        ("benches/router.rs", ("example",)),
        ("vendor/lib/x.go", ("vendored",)),
        ("app.min.js", ("generated",)),
        ("api/user.pb.go", ("generated",)),
        ("index.d.ts", ("declarations",)),
        ("include/uv.h", ("declarations",)),
        ("pkg/__init__.py", ("package file",)),
        ("CHANGELOG.md", ("changelog",)),
        ("docs/release-notes.rst", ("changelog",)),
        ("src/handler/mod.rs", ()),
        ("src/history_view.py", ()),
    ],
)
def test_a_path_says_what_part_a_file_plays(path: str, roles: tuple[str, ...]) -> None:
    """Conventions of many languages, and names that only look like them."""
    assert roles_of(path) == roles


@pytest.mark.parametrize(
    ("paths", "older"),
    [
        ({"src/v3/types.ts", "src/v4/core.ts"}, {"src/v3/types.ts"}),
        ({"pydantic/v1/fields.py", "pydantic/fields.py"}, {"pydantic/v1/fields.py"}),
        ({"api/v1/users.go", "api/router.go"}, set()),
        ({"mod/v2/a.go", "mod/a.go"}, set()),
        ({"v1/a.md", "v2/a.md", "x/v1/b.md"}, {"v1/a.md"}),
        (set(), set()),
    ],
)
def test_other_versions_stand_beside_newer_ones(paths: set[str], older: set[str]) -> None:
    """Only a newer sibling, or the unversioned file itself, makes a version old."""
    assert other_versions(paths) == older


def test_a_version_that_is_asked_for_is_the_one_meant() -> None:
    """Newer ones are then the others; a version that does not exist changes nothing."""
    paths = {"lib/v3/a.ts", "lib/v4/a.ts", "x/v1/a.ts", "x/v2/a.ts"}
    assert other_versions(paths, ["v3"]) == {"lib/v4/a.ts", "x/v1/a.ts"}
    assert other_versions(paths, ["v9"]) == other_versions(paths)


@pytest.mark.parametrize(
    ("paths", "others"),
    [
        ({"core/a.ts", "mini/a.ts", "core/b.ts"}, {"core/a.ts"}),
        ({"mini/core/a.ts", "mini/a.ts"}, set()),
        ({"core/a.ts", "full/a.ts"}, set()),
        ({"mini/a.ts", "x/mini/a.ts", "a.ts"}, {"a.ts"}),
    ],
)
def test_namesakes_stand_back_where_another_folder_is_asked_for(paths: set[str], others: set[str]) -> None:
    """Only folders in which the paths differ can tell them apart."""
    assert other_folders(paths, {"mini"}.__contains__) == others


def test_private_files_say_so() -> None:
    """By one leading underscore of any part, or by the name of a folder."""
    private = ["pkg/_config.py", "pkg/_impl/load.py", "src/internal/util/pipe.ts"]
    public = ["pkg/__init__.py", "pkg/__main__.py", "order/details/page.tsx", "src/internal.c"]
    assert list(filter(is_private, private + public)) == private


_SYSTEMS = {
    "src/win/tcp.c",
    "src/unix/tcp.c",
    "net/poll_windows.go",
    "net/poll_linux.go",
    "os/windows.rs",
    "os/unix.rs",
}


@pytest.mark.parametrize(
    ("asked", "others"),
    [
        ([], {"src/win/tcp.c", "net/poll_windows.go", "os/windows.rs"}),
        (["tcp", "windows"], {"src/unix/tcp.c", "net/poll_linux.go", "os/unix.rs"}),
    ],
)
def test_variants_for_the_other_system_stand_back(asked: list[str], others: set[str]) -> None:
    """Unix is meant unless Windows is asked for; what has no namesake is nobody's variant."""
    alone = {"src/win/registry.c", "src/unix/fork.c", "ui/window.c", "lib/twin.py"}
    assert other_systems(_SYSTEMS | alone, asked) == others


@pytest.mark.parametrize(
    ("best_first", "behind"),
    [
        (["arch/bsd/cpu.c", "arch/sunos/cpu.c", "arch/bsd/mem.c"], {"arch/sunos/cpu.c"}),
        (["pg/columns/json.ts", "mysql/columns/json.ts", "mysql/json.ts"], {"mysql/columns/json.ts"}),
        (["app.py", "sansio/app.py", "x/y/app.py"], set()),
        (["cors/index.ts", "csrf/index.ts"], set()),
        (["time/wheel/mod.rs", "time_alt/wheel/mod.rs"], {"time_alt/wheel/mod.rs"}),
        (["src/cpu.c", "tests/cpu.c"], set()),
        ([], set()),
    ],
)
def test_the_best_of_files_that_differ_in_one_folder_speaks_for_the_others(
    best_first: list[str], behind: set[str]
) -> None:
    """A class and what it is made of lie one in the other's folder; they are no flavours of the same."""
    assert behind_variants({path: -at for at, path in enumerate(best_first)}) == behind
