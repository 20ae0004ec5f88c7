"""What never costs a document, and what never hides one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.lifecycle import MEANINGS, read_lifecycle
from gnomon.lifecycle.spellings import STATUSES
from gnomon.values import Lifecycle, Status


def read(text: str, path: str = "doc.md") -> Lifecycle:
    """Read as a Markdown document."""
    return read_lifecycle(text, path=path, language="markdown")


@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_front_matter_is_read_with_any_line_end_and_start(start: str, end: str) -> None:
    """BOM, blank lines and CRLF change neither status nor body."""
    text = start + end.join(["---", "status: superseded", "superseded_by: b.md", "---", "body"])
    life = read(text)
    assert (life.status, life.successors) == (Status.SUPERSEDED, ("b.md",))
    assert text[life.body_start :] == "body"


@pytest.mark.parametrize(
    ("head", "successors"),
    [
        ("---\nstatus: replaced  # by new-plan.md\n---", ("new-plan.md",)),
        ("---\r\nstatus: superseded # replaced by [ADR 9](0009-x.md)\r\n---", ("[ADR 9](0009-x.md)",)),
        ("---\nsuperseded: true  # by new-plan.md\n---", ("new-plan.md",)),
        ('+++\nstatus = "replaced" # by new-plan.md\n+++', ("new-plan.md",)),
        ("---\nstatus: replaced # by new-plan.md\n---\n", ("new-plan.md",)),
        ("---\nx: [\nstatus: replaced # by new-plan.md\n---", ("new-plan.md",)),
        ("---\nstatus: replaced # was old-plan.md\n---", ()),
        ("---\nstatus: replaced # draft, accepted or superseded\n---", ()),
        ("---\nstatus: replaced by a.md # and by b.md\n---", ("a.md",)),
    ],
)
def test_successor_in_the_comment_behind_a_status_is_read(head: str, successors: tuple[str, ...]) -> None:
    """No parser of YAML or TOML keeps it, and people write it there."""
    life = read(f"{head}\nbody")
    assert (life.status, life.successors) == (Status.SUPERSEDED, successors)


def test_comment_behind_another_status_says_nothing() -> None:
    """Often it lists what may be chosen."""
    life = read("---\nstatus: accepted  # superseded by new-plan.md\n---\nbody")
    assert (life.status, life.successors) == (Status.LIVING, ())


def test_comment_in_a_document_that_is_all_header_is_read() -> None:
    """The description beside an enhancement proposal is one."""
    text = "title: Old\nstatus: replaced # by 1234-new\n"
    assert read_lifecycle(text, path="keps/1/kep.yaml", language="yaml").successors == ("1234-new",)


def test_alias_bomb_is_read_without_being_expanded() -> None:
    """Nine levels of nine aliases are 387 million values when expanded."""
    levels = [f'a0: &a0 ["{"x" * 9}"]', *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10))]
    life = read("---\n" + "\n".join(levels) + "\nstatus: *a9\n---\nbody")
    assert life.status is Status.LIVING


def test_merge_bomb_is_not_expanded() -> None:
    """Merge keys are not followed."""
    levels = ["m0: &m0 {a: 1}", *(f"m{n}: &m{n} {{<<: [{','.join([f'*m{n - 1}'] * 9)}]}}" for n in range(1, 10))]
    assert read("---\n" + "\n".join(levels) + "\nstatus: archived\n---\nbody").status is Status.ARCHIVED


def test_python_tag_is_not_executed() -> None:
    """The tag is ignored and the rest is read."""
    life = read("---\nx: !!python/object/apply:os.abort []\nstatus: archived\n---\nbody")
    assert life.status is Status.ARCHIVED


@pytest.mark.parametrize("opening", ["[", "{", "- ", "{a: ["])
def test_deep_nesting_is_read_line_by_line(opening: str) -> None:
    """Parsers recurse; the document is still read."""
    life = read(f"---\nstatus: archived\nx: {opening * 5000}\n---\nbody")
    assert life.status is Status.ARCHIVED
    assert len(life.warnings) == 1


def test_document_of_front_matter_only_keeps_its_text() -> None:
    """Nothing else could be found of it."""
    assert read("---\ntitle: only\n---\n").body_start == 0


@pytest.mark.parametrize(
    "value", ["N/A", "none", "null", "~", "", "[]", "'[[]]'", "-", "ADR-XXXX", "<number>", "keine"]
)
def test_no_successor_does_not_hide(value: str) -> None:
    """Empty, N/A, None, [[]] and template text are no successors."""
    life = read(f"---\nstatus: accepted\nsuperseded_by: {value}\n---\nbody")
    assert (life.status, life.successors) == (Status.LIVING, ())


@pytest.mark.parametrize(
    "value", ["SUPERSEDED", "Superceded", "replaced", "abgelöst", "remplacé", "置き換え済み", "已被取代"]
)
def test_spellings_of_superseded(value: str) -> None:
    """One table lists them."""
    assert read(f"---\nstatus: {value}\n---\nbody").status is Status.SUPERSEDED


@pytest.mark.parametrize(
    "value",
    ["Partly superseded", "partially superseded by b.md", "teilweise ersetzt durch b.md", "superseded in part by b.md"],
)
def test_partly_superseded_stays_living(value: str) -> None:
    """What is partly superseded is still partly true."""
    assert read(f"# A\n\nStatus: {value}\n").status is Status.LIVING


def test_code_has_no_document_lifecycle() -> None:
    """A constant of that name in a source file says nothing of the file."""
    text = 'STATUS = "superseded"\n# Status: superseded\n'
    assert read_lifecycle(text, path="a.py", language="python") == Lifecycle()


def test_prose_about_other_documents_says_nothing_of_this_one() -> None:
    """The sentence is about ADR 3."""
    text = "# A\n\nStatus: Accepted\n\nThis supersedes ADR 3; ADR 3 is now superseded by this one.\n"
    life = read(text)
    assert (life.status, life.successors) == (Status.LIVING, ())


def test_status_beyond_the_head_says_nothing_of_the_document() -> None:
    """A line under a later heading is about something else."""
    assert read("# A\n\n## One\n\n## Two\n\nStatus: superseded by b.md\n").status is Status.LIVING


def test_impossible_date_is_a_warning() -> None:
    """The thirtieth of February is no date."""
    life = read("---\ndate: 2024-02-30\nstatus: accepted\n---\nbody")
    assert life.date == ""
    assert life.warnings == ("line 2: '2024-02-30' is no date",)


def test_every_status_has_a_meaning_and_a_spelling() -> None:
    """The tables are complete."""
    assert set(MEANINGS) == set(STATUSES) == set(Status)


def test_no_spelling_means_two_statuses() -> None:
    """The table is unambiguous."""
    phrases = [phrase for phrases in STATUSES.values() for phrase in phrases]
    assert len(phrases) == len(set(phrases))


@pytest.mark.parametrize("phrase", sorted(phrase for phrases in STATUSES.values() for phrase in phrases))
def test_status_is_read_in_capitals_and_with_turkish_letters(phrase: str) -> None:
    """ONAYLANDI is the capital form of "onaylandı", and an i may have lost or gained its dot."""
    told = {read(f"Status: {each}\n").status for each in (phrase.upper(), phrase.replace("i", "\u0131"))}
    assert told == {read(f"Status: {phrase}\n").status}


@given(st.text(alphabet="-+{}[]:#|=>*_`~ \n\rabstu", max_size=300))
def test_any_text_is_read(text: str) -> None:
    """Nothing raises, and the body starts within the text."""
    life = read("---\n" + text)
    assert 0 <= life.body_start <= len(text) + 4
    assert 0 <= life.line <= text.count("\n") + text.count("\r") + 2


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ('+++\nstatus = "archived"\ntitle = broken\n+++\nbody', True),
        (';;;\n{"status": "archived"}\n;;;\nbody', False),
        (';;;\n{\n"status": "archived",\n}\n;;;\nbody', True),
        ('{"status": "archived"}\nbody', False),
        ("---\nstatus:\n  - archived\n---\nbody", False),
        ("---\n? [a, b]\n: c\nstatus: archived\n---\nbody", False),
    ],
)
def test_front_matter_of_other_kinds_is_read_or_salvaged(text: str, warned: object) -> None:
    """TOML and JSON, valid or not."""
    life = read(text)
    assert life.status is Status.ARCHIVED
    assert bool(life.warnings) is warned
    assert text[life.body_start :] == "body"


@pytest.mark.parametrize(
    "text",
    [
        "{not json}\nbody",
        '{"a": 1} and more on the line\nbody',
        "[1, 2]\nbody",
        ";;;\n[1]\n;;;\nbody",
        "{" * 5000,
        "---\n- a list: of things\n- b\n---\nbody",
    ],
)
def test_brace_or_fence_that_opens_no_front_matter_hides_nothing(text: str) -> None:
    """The document stays living."""
    assert read(text).status is Status.LIVING


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("archived: true", Status.ARCHIVED),
        ("deprecated: yes", Status.DEPRECATED),
        ("draft: true", Status.DRAFT),
        ("superseded: false", Status.LIVING),
        ("archived: later", Status.LIVING),
    ],
)
def test_yes_or_no_keys_set_a_status(line: str, status: Status) -> None:
    """Only a clear yes does."""
    assert read(f"---\n{line}\n---\nbody").status is status


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("# Old way [SUPERSEDED]", Status.SUPERSEDED),
        ("# [deprecated] Old way", Status.DEPRECATED),
        ("# Superseded requirements", Status.LIVING),
        ("# A\n\n> **Note:** superseded by b.md", Status.LIVING),
        ("# A\n\n**DEPRECATED**: this package is superseded by [b](b.md)", Status.SUPERSEDED),
        ("# A\n\n!!! superseded by b.md", Status.SUPERSEDED),
        ("# A\n\nSuperseded by b.md in the long run, people say.", Status.LIVING),
        ("# A\n\n- superseded by b.md", Status.LIVING),
        ("# A\n\nDieses Dokument wurde ersetzt durch b.md.", Status.SUPERSEDED),
    ],
)
def test_banner_counts_only_where_it_is_set_apart_or_about_this_document(head: str, status: Status) -> None:
    """A sentence in running text names a successor at most."""
    assert read(head + "\n\nText.\n").status is status


def test_head_with_three_statuses_is_a_log() -> None:
    """A list of decisions has no status as a whole."""
    log = "\n\n".join(f"**Status:** superseded by ADR {n}" for n in range(3))
    assert read(f"# Decisions\n\n{log}\n").status is Status.LIVING


def test_two_status_sections_of_one_level_are_a_log() -> None:
    """Each belongs to a decision of its own."""
    assert read("# A\n\n## Status\n\nSuperseded\n\n# B\n\n## Status\n\nAccepted\n").status is Status.LIVING


def test_empty_status_section_says_nothing() -> None:
    """There is nothing under the heading."""
    assert read("# A\n\n## Status\n\n## Context\n").status is Status.LIVING


def test_comma_list_of_all_choices_is_template_text() -> None:
    """Nobody chose."""
    assert read("# A\n\nStatus: proposed, accepted, rejected, deprecated, superseded\n").status is Status.LIVING


def test_status_may_be_a_link_to_its_explanation() -> None:
    """As some trees write it."""
    assert read("# A\n\n- Status: [RETIRED](/README.md#retired)\n").status is Status.ARCHIVED


def test_predecessor_in_another_repository_is_none_here() -> None:
    """A web address with a blank before it is still one."""
    life = read("# A\n\n- Supersedes: [HIPE 0013]( https://example.org/hipe/0013-wallets)\n")
    assert life.supersedes == ("[HIPE 0013](https://example.org/hipe/0013-wallets)",)


@pytest.mark.parametrize(
    ("start", "unit"),
    [
        ("> ", "Status: "),
        ('---\nsuperseded_by: "', "\t"),
        ("# T\n\nStatus: superseded by ", " "),
        ("# T\n\nStatus: superseded by ", "a."),
        ("# T\n\nStatus: superseded by ", "["),
        ("---\nsuperseded_by: x\n", "- a\n"),
        ("", "<!--"),
    ],
)
def test_long_runs_of_one_piece_do_not_hang_the_reading(start: str, unit: str) -> None:
    """Each took minutes with a pattern that is quadratic in its line; the run's time limit would stop it."""
    assert read(start + unit * (400_000 // len(unit))).body_start == 0
