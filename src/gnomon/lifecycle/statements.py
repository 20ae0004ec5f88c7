"""What one status says: "Superseded by [ADR-0007](0007-tokens.md)", "✅ Accepted", "Draft | Accepted" (a template)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise

from gnomon.lifecycle.references import is_nothing, is_partial, named, references
from gnomon.lifecycle.spellings import BY, SELF_NOUNS, STATUSES
from gnomon.values import Status

_MAX_CHARS = 1_200  # a status section longer than this is prose from there on

_STRUCK = re.compile(r"~~.*?~~|<(?:s|del)>.*?</(?:s|del)>|<!--.*?(?:-->|$)", re.DOTALL)
_TAG = re.compile(r"<(?!https?:)/?[a-zA-Z][^<>\n]*>")
_MARKUP = re.compile(r"\*+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)")
_CODE = re.compile(r"(?<!:)`+([^`<>\n]*)`+(?!_)")  # not :doc:`name` and `text <target>`_
_LINKED_WORD = re.compile(r"\[([^\[\]()\n]{1,40})\](?:\([^()\n]*\)|\[[^\[\]\n]*\])")
_LINK = re.compile(
    r"\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)|\[\[[^\[\]\n]*\]\]|https?://[^\s)\]]+|[\w./-]+\.\w{2,8}\b"
)
_MASK = "\ue000"  # private use: stands for one character of a link, so that its punctuation splits nothing
_CLAUSES = re.compile(r"\n|[.;!?](?=\s|$)|,(?=\s)|\s[—–-]{1,2}\s|[()（）\[\]]|→|->|=>|[。、；，]")
_LEADING = re.compile(r"[^\w\ue000]+")
_FILLERS = re.compile(
    r"(?:(?:now|is|are|has been|have been|been|since|and|but|later|then|fully|entirely|completely|wholly|currently|it|"
    r"status|ist|wurde|jetzt|inzwischen|vollständig|a été|est|fue|ha sido|\d{4}-\d{2}-\d{2}:?)\s+)+",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(
    r"(?<=[^\d\s])\.(?=\s|$)|[。!?](?=\s|$)|\n\s*\n|\bsee also\b|\bsiehe auch\b|\bvoir aussi\b", re.IGNORECASE
)
_SELF = re.compile(
    rf"(?:this|the present)\s+(?:[\w-]+\s+)?(?:{'|'.join(SELF_NOUNS)})\s+(?:is|has been|was)\s+(?:now\s+)?"
    r"(?=(?:super[sc]ee?ded|replaced|obsoleted|supplanted)\b)"
    r"|dies(?:es|e|er)\s+(?:[\w-]+\s+)?\w+\s+(?:ist|wurde|wird)\s+(?=(?:abgelöst|ersetzt)\b)",
    re.IGNORECASE,
)
# Languages that put the successor first: "[ADR-10](…) により置換", "已被 ADR-10 取代".
_SUCCESSOR_FIRST = re.compile(
    r"(?P<before>[^、。\n(（]{1,200}?)\s*(?:により|によって|で|に)\s*(?:置換|置き換え|差し替え|統合)"
    r"|已?被\s*(?P<between>[^，。\n]{1,200}?)\s*(?:所?取代|替代|代替)"
)
# "This KEP has been replaced by …", where what follows is a status in any case.
_OWN_SUBJECT = re.compile(
    rf"\W*(?:this|the)\s+(?:{'|'.join(SELF_NOUNS)})\s+(?:is|has\s+been|was)\s+(?:now\s+)?", re.IGNORECASE
)
_CHOICE = re.compile(r"[,/]?\s*(?:or|oder|ou|and/or)?\s*|[,/|]\s*…?", re.IGNORECASE)
_ENDS_STATEMENT = r"(?=$|[\s:：.,;!?()\[\]—–\-\ue000/|（）。、，；])"
_LIST_ITEM = re.compile(r"[\s>]*(?:[-*+•|]\s|\d+[.)]\s|~~)")
_BANNERS = frozenset({Status.SUPERSEDED, Status.ARCHIVED, Status.DEPRECATED})


@dataclass(frozen=True, slots=True)
class Statement:
    """What a status says.

    Attributes:
        status: None where no known word is in it.
        successors: As written.
        partial: It says so of a part of the document only.
        template: It lists the choices instead of making one.
    """

    status: Status | None = None
    successors: tuple[str, ...] = ()
    partial: bool = False
    template: bool = False


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, Status]]:
    ordered = sorted((phrase for phrases in STATUSES.values() for phrase in phrases), key=len, reverse=True)
    # One end for many phrases, not one for each: 34 ms less to compile, of the 200 until a process has read its first
    # files.
    runs = groupby(ordered, key=lambda phrase: "" if ord(phrase[-1]) > 0x2E80 else _ENDS_STATEMENT)
    words = "|".join(f"(?:{'|'.join(map(re.escape, phrases))}){end}" for end, phrases in runs)
    table = {_folded(phrase): status for status, phrases in STATUSES.items() for phrase in phrases}
    return re.compile(words, re.IGNORECASE), table


def _folded(phrase: str) -> str:
    """A phrase in small letters; to a pattern that ignores case, the Turkish i with and without its dot is the same."""
    return phrase.translate(_TURKISH_I).casefold()


_TURKISH_I = str.maketrans("\u0130\u0131", "ii")


@cache
def _banner_phrases() -> tuple[str, ...]:
    """What a banner says; of phrases that hold another one, that one alone."""
    phrases = {phrase.casefold() for status in _BANNERS for phrase in STATUSES[status]}
    return tuple(sorted(each for each in phrases if not any(other in each for other in phrases - {each})))


@cache
def _by() -> re.Pattern[str]:
    words = "|".join(re.escape(each) + (r"\b" if each[-1].isalpha() and each[-1].isascii() else "") for each in BY)
    return re.compile(rf"\s*(?:(?:{words})\s*)+", re.IGNORECASE)


def plain(text: str) -> str:
    """A text without what is struck out, commented out or mark-up; links stay."""
    return _MARKUP.sub("", _CODE.sub(r"\1", _TAG.sub(" ", _STRUCK.sub(" ", text))))


def read_status(value: str, definitions: Mapping[str, str] | None = None) -> Statement:
    """Read the value of a status field or section.

    The first clause tells the status. A later one counts where it is a statement of its own ("Accepted, superseded
    by ADR 9") and worse news; of dated lines the last one counts. What holds for a part hides nothing.
    """
    text = _LINKED_WORD.sub(_unlinked, plain(value[:_MAX_CHARS])).strip()
    if is_template(text):
        return Statement(template=True)
    subject = _OWN_SUBJECT.match(text)
    text = text[subject.end() :] if subject else text
    masked = _masked(text)
    first = True
    best: Statement = Statement()
    for start, clause, own_line in _clauses(masked):
        told = _statement_in(text, masked, start, clause, definitions)
        is_own = told.status is not None and (first or _stands_alone(clause))
        if is_own and (first or own_line or _rank(told) > _rank(best)):
            best = told if _rank(told) >= _rank(best) or own_line else best
        first = False
    return _successor_first(text, best, definitions)


def _unlinked(match: re.Match[str]) -> str:
    """The status of "[RETIRED](/README.md#retired)"; other links stay."""
    return match[1] if _folded(match[1].strip()) in _phrases()[1] else match[0]


def read_comment(comment: str, definitions: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The successors that a comment behind "superseded" names: "by the new plan", "replaced by ADR 9"."""
    told = f"superseded {comment}" if _by().match(comment) else comment
    return read_status(told, definitions).successors


def read_banner(line: str, definitions: Mapping[str, str] | None = None) -> Statement:
    """Read a line of the document's head that has no key: "Superseded by …", "This RFC is superseded by …".

    Only a line that opens with such a statement counts; "Superseded requirements are listed below" is none. A line
    that is neither set apart (quoted, bold, a heading) nor about "this document" names successors at most.
    """
    if _LIST_ITEM.match(line):
        return Statement()  # an index page tells of other documents
    text = plain(line[:_MAX_CHARS]).strip()
    folded = text.casefold()
    if not any(phrase in folded for phrase in _banner_phrases()):
        return Statement()  # as nearly every line
    set_apart = bool(re.match(r"\s*(?:>|#|=|\*\*|__|!!!|\.\. |\W{0,3}[^\x00-\u2fff])", line)) or text[:10].isupper()
    lead = _LEADING.match(text)
    text = text[lead.end() :] if lead else text
    own = _SELF.match(text, _after_shout(text))
    text = text[own.end() :] if own else text
    start, clause, _ = next(_clauses(_masked(text)), (0, "", False))
    told = _statement_in(text, _masked(text), start, clause, definitions)
    if told.status not in _BANNERS or not (own or _stands_alone(clause)) or is_template(text):
        return Statement()
    if own or set_apart:
        return told
    return Statement(Status.LIVING, told.successors)


def _after_shout(text: str) -> int:
    """Where the sentence starts in "DEPRECATED: this package is …"."""
    match = _phrases()[0].match(text)
    rest = re.compile(r"\W{1,5}").match(text, match.end()) if match else None
    return rest.end() if rest else 0


def is_template(text: str) -> bool:
    """Whether a status lists the choices: "Proposed | Accepted | Superseded by …", "{proposed, accepted}"."""
    pattern, _ = _phrases()
    for line in _masked(text).splitlines():
        found = list(pattern.finditer(line))
        gaps = [line[one.end() : other.start()].strip(" \t*_`'\"[]{}<>…") for one, other in pairwise(found)]
        if any(gap.startswith("|") for gap in gaps) or sum(_CHOICE.fullmatch(gap) is not None for gap in gaps) >= 2:
            return True
        if found and re.fullmatch(r"\s*[<{].*[>}]\s*", line):
            return True
    return False


def _masked(text: str) -> str:
    return _LINK.sub(lambda match: _MASK * len(match[0]), text)


def _clauses(masked: str) -> Iterator[tuple[int, str, bool]]:
    """(offset, clause, whether it opens a line or follows an arrow) of each clause that is not blank."""
    start, opens = 0, True
    for match in [*_CLAUSES.finditer(masked), None]:
        clause = masked[start : match.start() if match else len(masked)]
        lead = _LEADING.match(clause)
        offset = lead.end() if lead else 0
        if clause[offset:].strip():
            filler = _FILLERS.match(clause, offset)
            offset = filler.end() if filler else offset
            yield start + offset, clause[offset:], opens
        if match:
            opens = match[0] in "\n→->=>" or (opens and not clause.strip())
            start = match.end()


def _statement_in(text: str, masked: str, start: int, clause: str, definitions: Mapping[str, str] | None) -> Statement:
    pattern, table = _phrases()
    match = pattern.match(clause)
    if not match:
        return Statement()
    status = table[_folded(match[0])]
    if status is not Status.SUPERSEDED and status is not Status.ARCHIVED and status is not Status.DEPRECATED:
        return Statement(status)
    after = start + match.end()
    end = _SENTENCE_END.search(masked, after)
    rest = text[after : end.start() if end else len(text)]
    if is_partial(_restriction(rest)):
        return Statement(Status.LIVING, partial=True)
    if status is not Status.SUPERSEDED:
        return Statement(status)
    by = _by().match(rest)
    told = rest[by.end() :] if by else rest
    if by and is_nothing(re.split(r"[.;\n(]", told.strip() or "-", maxsplit=1)[0]):
        return Statement(template=bool(told.strip()))
    found = references(told, definitions)
    if not found and by and named(told):
        found = (named(told),)
    return Statement(status, found)


def _restriction(rest: str) -> str:
    """The part of a statement that may restrict it: up to the first dash, where reasons begin."""
    return re.split(r"\s[—–-]{1,2}\s", rest, maxsplit=1)[0]


def _stands_alone(clause: str) -> bool:
    """Whether a clause is a statement, not a word before a noun ("superseded requirements")."""
    match = _phrases()[0].match(clause)
    if not match:
        return False
    rest = clause[match.end() :].strip()
    starts_so = re.match(r"[\ue000\d:：!]|(?:on|since|as of|in|am|seit|le)\s+\W*(?:\d|[A-Z])", rest)
    return not rest or bool(starts_so) or bool(_by().match(rest))


def _rank(told: Statement) -> int:
    """How bad the news is; only worse news of a later clause counts."""
    order = (Status.LIVING, Status.DRAFT, Status.EXPIRED, Status.DEPRECATED, Status.WITHDRAWN, Status.REJECTED)
    if told.status is Status.SUPERSEDED:
        return 8
    if told.status is Status.ARCHIVED:
        return 7
    return order.index(told.status) if told.status in order else -1


def _successor_first(text: str, told: Statement, definitions: Mapping[str, str] | None) -> Statement:
    match = _SUCCESSOR_FIRST.search(_masked(text))
    if not match or told.partial or is_partial(text):
        return told
    start, end = match.span("before" if match["before"] else "between")
    return Statement(Status.SUPERSEDED, references(text[start:end], definitions))
