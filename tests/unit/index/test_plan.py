"""Planning: what an index run has to do, decided without any effect."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gnomon.index.plan import plan_folder
from gnomon.store.base import ManifestRow
from gnomon.values import Skip, SkipReason, SourceFile

FILE = SourceFile("a.md", 10, 100, 100, "plain file")
ROW = ManifestRow(10, 100, 100, "sha", "1", 2)


def test_unknown_file_is_read() -> None:
    """A new path is read."""
    assert plan_folder([FILE], {}, extractor="1").read == (FILE,)


def test_known_file_is_not_read() -> None:
    """Equal size and times mean equal content."""
    plan = plan_folder([FILE], {"a.md": ROW}, extractor="1")
    assert (plan.read, plan.unchanged) == ((), 1)


def test_any_difference_in_size_or_times_is_read() -> None:
    """A same-second edit of the same size still changes the change time."""
    for changed in (replace(FILE, size_bytes=11), replace(FILE, mtime_ns=101), replace(FILE, ctime_ns=101)):
        assert plan_folder([changed], {"a.md": ROW}, extractor="1").read == (changed,)


def test_other_extractor_version_reads_again() -> None:
    """What was read by another version of the extractors is read again."""
    assert plan_folder([FILE], {"a.md": ROW}, extractor="2").read == (FILE,)


def test_force_reads_everything() -> None:
    """``force`` ignores what is stored."""
    assert plan_folder([FILE], {"a.md": ROW}, extractor="1", force=True).read == (FILE,)


def test_path_that_is_not_found_is_gone() -> None:
    """What discovery does not yield any more is gone."""
    assert plan_folder([], {"a.md": ROW}, extractor="1").gone == ("a.md",)


def test_known_skip_is_reported_but_not_written_again() -> None:
    """A second run over the same skip writes nothing."""
    skip = Skip("b.png", SkipReason.BINARY_EXTENSION)
    plan = plan_folder([skip], {"b.png": replace(ROW, skip=skip)}, extractor="1")
    assert (plan.skips, plan.new_skips, plan.gone) == ((skip,), (), ())


def test_unchanged_file_that_was_skipped_by_content_stays_a_skip() -> None:
    """A file found binary when it was read is not read again, and is still reported."""
    skip = Skip("a.md", SkipReason.BINARY_CONTENT)
    plan = plan_folder([FILE], {"a.md": replace(ROW, skip=skip)}, extractor="1")
    assert (plan.read, plan.unchanged, plan.skips, plan.new_skips) == ((), 0, (skip,), ())


def test_file_that_became_a_skip_is_written_as_one() -> None:
    """An indexed file that is now ignored gives way to its skip."""
    skip = Skip("a.md", SkipReason.INDEX_IGNORED)
    plan = plan_folder([skip], {"a.md": ROW}, extractor="1")
    assert (plan.new_skips, plan.gone) == ((skip,), ())


_files = st.builds(
    SourceFile, st.sampled_from("abcdef"), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.just("")
)


@given(st.lists(_files, unique_by=lambda file: file.path), st.lists(_files, unique_by=lambda file: file.path))
def test_planning_after_applying_is_empty(before: list[SourceFile], after: list[SourceFile]) -> None:
    """Once a plan is carried out, planning again finds nothing to do."""
    stored = {f.path: ManifestRow(f.size_bytes, f.mtime_ns, f.ctime_ns, "", "1", 1) for f in before}
    first = plan_folder(after, stored, extractor="1")
    applied = {path: row for path, row in stored.items() if path not in first.gone}
    applied |= {f.path: ManifestRow(f.size_bytes, f.mtime_ns, f.ctime_ns, "", "1", 1) for f in first.read}
    second = plan_folder(after, applied, extractor="1")
    assert (second.read, second.new_skips, second.gone) == ((), (), ())
    assert second.unchanged == len(after)
