"""A question -> what is asked for: words, phrases, exclusions, identifiers, and what kind of question it is.

``"quoted phrase"`` must occur, ``-word`` must not; every other character is plain text, so no input is an error.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

from gnomon.analyze.languages import STOP_WORDS, guess_language
from gnomon.analyze.text import analyze
from gnomon.analyze.words import AS_QUESTION, AS_WRITTEN, fold, memory, tokens
from gnomon.values import Kind, WordQuery

QueryKind = Literal["identifier", "path", "error", "question", "keywords"]

# Kinds of questions whose pieces with punctuation are meant letter by letter.
LITERAL_KINDS: Final[frozenset[QueryKind]] = frozenset(("identifier", "path", "error"))
# Words of a question that are looked up; more say nothing more and cost time. A pasted log has thousands.
MOST_WORDS: Final = 64
# What is read of a question: no model's window and no list of words needs more of a pasted log.
READ_CHARS: Final = 20_000
# Longer pieces are encoded data, not names; what looks for names would go over each of them many times.
_LONGEST_PIECE: Final = 200
_LONGEST_NAMED: Final = 4_000


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Letters beyond the Latin, Greek and symbol blocks: a Greek letter in an English question is a formula.
_OTHER_SCRIPT: Final = "[\u0400-\u1fff\u2e80-\ud7ff\uf900-\ufdff\ufe70-\uffdc\U00020000-\U0002fa1f]"
_HIRAGANA: Final = re.compile("[\u3040-\u309f]+")
# One foreign function word in a question of English letters is mostly a word of English, or of computers: "requests per
# minute", "man page", "bin folder", "DER file". Texts keep their English stems, too, so that nothing is lost by doubt.
_FOREIGN_WORDS: Final = 2
# In one: what is quoted excludes nothing. Single letters stay: "tar -x" names an option, it does not exclude a word.
_OPERATORS: Final = re.compile(
    r'(?<!\S)(-?)["\u201c\u201d\u201e]([^"\u201c\u201d\u201e]{1,1000})["\u201c\u201d]'
    r"|(?<!\S)-([^\W\d_][\w.]+|[^\W\d_a-zA-Z])(?=\s|$)"
)
_IDENTIFIER: Final = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:::|->|\.|\#|:)[A-Za-z_$][\w$]*)+"  # qualified: a.b, A::b, Picker:move
    r"|[A-Za-z][a-z0-9]*[a-z0-9][A-Z]\w*"  # camelCase, PascalCase of two parts and more
    r"|[A-Z]{2,}[a-z]\w*"  # HTTPServer
    r"|\w*[A-Za-z0-9]_\w+|_\w+"  # snake_case
    r"|[A-Za-z_]\w*(?=\(\))"  # call()
)
_CODED: Final = re.compile(r"`([^`\n]{1,80})`")
_LITERAL: Final = re.compile(r"\S*\w[^\w\s]+\w\S*|\w[\w.]*[+#]+(?!\w)|[@#$.]\w\S*")
_NUMBERED: Final = re.compile(r"[A-Za-z]+\d+")
_NAME: Final = re.compile(r"[@$#.&*]?[A-Za-z_]\S*|\d\w*[.:/-]\S*\w")
_TRAILING: Final = re.compile(r"^[\"'(\[{\u201c\u201e]+|[\"')\]}?!,;:.\u201c\u201d\u3002\uff1f]+$")
_PATH: Final = re.compile(r"\.{0,2}/?(?:[\w.@+$~()\[\]-]+/)+[\w.@+$~()\[\]-]*|[\w@+-]+(?:\.[\w@+-]+)*\.[A-Za-z]\w{0,9}")
# A line behind a path, as answers of this program and of compilers have it.
_LINE: Final = re.compile(r"(?::|#L|:L)\d+(?:[-:]L?\d+)?$")
_AROUND_PATH: Final = " `'\"()<>,;"
_LONGEST_PATH: Final = 1_000
_FILE_ENDING: Final = re.compile(
    r"\.(?:py|pyi|js|jsx|mjs|ts|tsx|go|rs|c|h|cc|cpp|hpp|java|kt|kts|rb|php|cs|swift|m|hs|ex|exs|lua|zig|sh|bash|sql"
    r"|md|rst|txt|adoc|html?|css|json|ya?ml|toml|ini|cfg|xml|pdf|docx|ipynb|csv|lock|vue|scala|dart|r)$",
    re.IGNORECASE,
)
_ERROR: Final = re.compile(
    r"\b[A-Z][A-Za-z]*(?:Error|Exception|Warning)\b(?=:)|\b(?:E|ERR|EXC)[-_]?\d{2,}\b|\bERR_[A-Z_]+\b"
    r"|\b(?:error|exception|fatal|panic|traceback|errno)\b.*[:=]|^\s*(?:error|fatal|panic)\s+\S*\d",
    re.IGNORECASE,
)
# What stands before a message: "RuntimeError: ", "zipfile.BadZipFile: ", "error[E0382]: ".
_BEFORE_MESSAGE: Final = re.compile(
    r"(?:[\w.]*(?:error|exception|warning|fault|failure)|[a-z]\w*(?:\.\w+)+|fatal|panic|errno)(?:[\[(]\w+[\])])?:\s+",
    re.IGNORECASE,
)
_LONGEST_MESSAGE: Final = 300
_WORDS_OF_MESSAGE: Final = 3
_WORDS_OF_SENTENCE: Final = 4
# Words by which a few words are a message: "No such option", "Permission denied".
_COMPLAINTS: Final = _vocabulary(
    "no not cannot failed fails unable invalid illegal unexpected unknown unrecognized missing denied refused must"
    " already expected too unsupported undefined"
)
# A declaration as it begins a line.
_DECLARED: Final = re.compile(
    r"(?:(?:async|export|public|private|static|pub|abstract|final|const)\s+)*"
    r"(?:class|def|func|fn|fun|function|struct|enum|interface|trait|protocol|type|module|macro|namespace)\s+"
    r"([@$A-Za-z_][\w$]*(?:(?:::|[.#])[\w$]+)*)\s*[({:]?"
)
_ASKS: Final = _vocabulary(
    "how what where which when why who whom whose does do is are can could should will has have was were did"
    " wie was wo welche welcher welches wann warum wer wieso woher wohin kann"
    " comment quel quelle quels quelles pourquoi où quand qui combien est-ce"
    " cómo qué cuál dónde cuándo quién cuánto por come quale dove quando perché chi como qual onde quem hoe welke waar"
    " wanneer waarom hur vad var när hvad hvor hva miten mikä missä jak gdzie kiedy dlaczego nerede"
)
_WANTS_CODE: Final = _vocabulary(
    "implement implemented implementation implements implementing defined definition declared source code function"
    " class method struct enum trait interface module macro signature subclass override"
)
_WANTS_PROSE: Final = _vocabulary(
    "configure configuring configuration install installing installation setup guide tutorial documentation docs readme"
    " changelog license licence policy decision adr release deploy upgrade upgrading migrate migrating migration"
    " contribute contributing faq overview konfigurieren installieren anleitung"
)


@dataclass(frozen=True)  # no slots: what is worked out is kept beside it
class QueryWords:
    """What a question asks for; all but the fields is worked out when it is needed, since a model reads the text alone.

    Attributes:
        text: The question without quotes and exclusions, for the embedder; of a path, without a line behind it.
        phrases: Quoted pieces as typed; each must occur.
        excluded: Excluded pieces as typed; none may occur.
        length_chars: Of the whole question, of which at most ``READ_CHARS`` are read.
    """

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    length_chars: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether it holds no word."""
        return not self._tokens

    @cached_property
    def words(self) -> WordQuery:
        """For the words arm; empty where the question holds no word."""
        any_of = self._all_terms
        if self.kind != "error":
            any_of = [*any_of, *_glued(self._tokens, self.language)]
        return WordQuery(
            any_of=tuple(dict.fromkeys(any_of))[:MOST_WORDS],
            all_of=_english(self.phrases),
            none_of=tuple(_english([piece])[0] for piece in self.excluded if len(piece.split()) == 1),
        )

    @cached_property
    def kind(self) -> QueryKind:
        """What kind of question it is; decides how far each arm is believed."""
        return _kind(self._named, self._lower)

    @cached_property
    def path(self) -> str:
        """The path that the whole question may be, blanks and all, or a name without an ending (LICENSE); else ""."""
        may_be = self.kind in ("path", "identifier") or "/" in self.text or _FILE_ENDING.search(self.text)
        return self.text.removeprefix("./") if may_be and len(self.text) <= _LONGEST_PATH else ""

    @cached_property
    def prefers(self) -> Kind | Literal[""]:
        """The kind of document it asks for by its words, "" where it does not say."""
        return _prefers(self.raw)

    @cached_property
    def language(self) -> str:
        """Of the question, a key of ``languages.STOP_WORDS``."""
        return guess_language(self._lower, least=_FOREIGN_WORDS if self.text.isascii() else 1)

    @cached_property
    def is_english(self) -> bool:
        """Neither the language nor the script is plainly another."""
        return self.language == "english" and (self.text.isascii() or not re.search(_OTHER_SCRIPT, self.text))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Analyzed words that mean something, in order, no repeats: ``words.any_of`` without glued neighbours."""
        return tuple(self._all_terms[:MOST_WORDS])

    @property
    def word_count(self) -> int:
        """Different words that mean something, of which at most ``MOST_WORDS`` are looked up."""
        return len(self._all_terms)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """Names of code as they were typed; the whole question where its kind is "identifier"."""
        return _identifiers(self._named, self.kind)

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """Pieces with punctuation inside, as typed ("std::vector<int>", "C++", "src/main.py").

        Also letters with a number behind them, where they are the whole question ("h264").
        """
        return _literals(self._named, self.kind)

    @cached_property
    def message(self) -> str:
        """What may stand in a text word for word: a sentence that asks nothing, or what an error says; else ""."""
        message = _message(self._named, self.kind, self.language)
        # What stands behind a colon is not of the program's own words: "No such option: --foo".
        said = message.partition(": ")[0]
        return said if len(tokens(said)) >= _WORDS_OF_MESSAGE else message

    @cached_property
    def complains(self) -> bool:
        """Whether it is a message of what went wrong: no title is called so, and its function words count."""
        return bool(self.message) and not _COMPLAINTS.isdisjoint(self.raw)

    @cached_property
    def raw(self) -> frozenset[str]:
        """Lower-case tokens as typed, stop words too; what "asked for tests" is read from."""
        return frozenset(self._lower)

    @property
    def is_picky(self) -> bool:
        """Whether only a look at the texts tells which passages are meant: many may have all the words."""
        return bool(self.phrases or self.excluded or (self.literals and self.kind in LITERAL_KINDS))

    def as_typed(self, terms: Iterable[str]) -> tuple[str, ...]:
        """The words behind some terms, in their order; a term that nobody typed (two words as one) is itself."""
        return tuple(dict.fromkeys(word for term in terms for word in self._typed.get(term, (term,))))

    @cached_property
    def _tokens(self) -> list[str]:
        return tokens(self.text)

    @cached_property
    def _lower(self) -> list[str]:
        return [token.lower() for token in self._tokens]

    @cached_property
    def _named(self) -> str:
        """What names are looked for in."""
        return " ".join(piece for piece in self.text.split() if len(piece) <= _LONGEST_PIECE)[:_LONGEST_NAMED]

    @cached_property
    def _typed(self) -> dict[str, tuple[str, ...]]:
        return _typed(self._tokens, self.language)

    @cached_property
    def _all_terms(self) -> list[str]:
        return _terms(self._tokens, self.language, with_stop_words=self.kind == "path")


def analyze_query(text: str) -> QueryWords:
    """Read a question; any text is a question, and none is an error.

    >>> analyze_query('how does SessionStore refresh -test').words.none_of
    ('test',)
    """
    plain, phrases, excluded = _take_operators(text[:READ_CHARS])
    if _is_path(path := _bare_path(plain)):
        plain = path
    return QueryWords(plain, tuple(phrases), tuple(excluded), length_chars=len(text))


def _take_operators(text: str) -> tuple[str, list[str], list[str]]:
    """(plain text, phrases, exclusions); exclusions without anything to look for are plain text."""
    phrases: list[str] = []
    excluded: list[str] = []

    def take(match: re.Match[str]) -> str:
        dash, phrase, word = match.groups()
        if word is None and not re.search(r"\w", phrase):
            return match[0]
        if word is None and not dash:
            phrases.append(phrase.strip())
            return f" {phrase} "
        excluded.append(word or phrase.strip())
        return " "

    plain = " ".join(_OPERATORS.sub(take, text).split())
    if not tokens(plain):
        return " ".join(text.split()), phrases, []
    return plain, phrases, excluded


def _terms(found: list[str], language: str, *, with_stop_words: bool) -> list[str]:
    """Analyzed words; without stop words, unless nothing else is there."""
    stop = frozenset[str]() if with_stop_words else STOP_WORDS["english"] | STOP_WORDS[language]
    kept = [token for token in found if token.lower() not in stop]
    words = dict.fromkeys(analyze(" ".join(kept or found), language=language + AS_QUESTION))
    # Pairs of hiragana are endings and particles: they say nothing and occur everywhere.
    return [word for word in words if not _HIRAGANA.fullmatch(word)] or list(words)


def _typed(found: list[str], language: str) -> dict[str, tuple[str, ...]]:
    """The words of some tokens, by what a stemmer leaves of each."""
    as_written, as_asked = memory(AS_WRITTEN), memory(language + AS_QUESTION)
    typed: dict[str, list[str]] = {}
    for word in dict.fromkeys(word for token in found for word in as_written[token]):
        typed.setdefault(as_asked[word][0], []).append(word)  # its parts, where it has some, are words of their own
    return {term: tuple(words) for term, words in typed.items()}


def _glued(found: list[str], language: str) -> list[str]:
    """Neighbours as one word: "web socket" also finds ``WebSocket`` as a whole, "use case" finds "usecase"."""
    stop = STOP_WORDS["english"] | STOP_WORDS[language]
    return [
        word
        for first, second in pairwise(found)
        if first.isalpha() and second.isalpha() and first.lower() not in stop and second.lower() not in stop
        if first.isascii() and second.isascii()
        for word in analyze(first.lower() + second.lower(), language="english")
    ]


def _english(pieces: Iterable[str]) -> tuple[str, ...]:
    """Words every document has for these pieces, whatever language it was taken to be in."""
    return tuple(dict.fromkeys(word for piece in pieces for word in analyze(piece, language="english")))


def _bare_path(plain: str) -> str:
    """A path without what people and programs put around it."""
    bare = _LINE.sub("", plain.strip(_AROUND_PATH)).removeprefix("file://")
    return unicodedata.normalize("NFC", re.sub(r"/{2,}", "/", bare))


def _is_path(plain: str) -> bool:
    return _PATH.fullmatch(plain) is not None and ("/" in plain or _FILE_ENDING.search(plain) is not None)


def _kind(plain: str, lower: list[str]) -> QueryKind:
    spaced = plain.split()
    if _is_path(plain):
        return "path"
    if _ERROR.search(plain) and len(spaced) > 1:
        return "error"
    if len(spaced) == 1 and lower and plain.isascii() and _NAME.fullmatch(plain):
        return "identifier"
    # "class Popen", but not "class hierarchy".
    if (declared := _DECLARED.fullmatch(plain)) and not declared[1].islower():
        return "identifier"
    if plain.endswith(("?", "\uff1f")) or (lower and lower[0] in _ASKS):
        return "question"
    return "keywords"


def _prefers(words: frozenset[str]) -> Kind | Literal[""]:
    """Code where its vocabulary is used, prose where a guide's is; neither where both or none."""
    code, prose = bool(words & _WANTS_CODE), bool(words & _WANTS_PROSE)
    if code == prose:
        return ""
    return "code" if code else "prose"


def _identifiers(plain: str, kind: QueryKind) -> tuple[str, ...]:
    found = [match[0] for match in _IDENTIFIER.finditer(plain)]
    found += [match[1].removesuffix("()") for match in _CODED.finditer(plain)]
    if declared := _DECLARED.fullmatch(plain):
        found.append(declared[1])
    elif kind == "identifier":
        found.append(_TRAILING.sub("", plain.removesuffix("()")))
    return tuple(dict.fromkeys(found))


def _literals(plain: str, kind: QueryKind) -> tuple[str, ...]:
    found = (_TRAILING.sub("", piece) if piece[-1] not in "+#>)" else piece for piece in _LITERAL.findall(plain))
    # "h264", "CVE20241234": the analyzer has its parts too, and every other number behind the same letters has one.
    numbered = [plain] if kind == "identifier" and _NUMBERED.fullmatch(plain) else []
    return tuple(dict.fromkeys([*numbered, *(piece for piece in found if len(piece) > 1)]))[:8]


def _message(plain: str, kind: QueryKind, language: str) -> str:
    before = _BEFORE_MESSAGE.match(plain)
    message = plain[before.end() :] if before else plain
    words = [token.lower() for token in tokens(message)]
    if len(message) > _LONGEST_MESSAGE or kind not in ("error", "keywords"):
        return ""
    if before or kind == "error":
        return message if len(words) >= _WORDS_OF_MESSAGE else ""
    if len(words) >= _WORDS_OF_MESSAGE and not _COMPLAINTS.isdisjoint(words):
        return message
    is_sentence = len(words) >= _WORDS_OF_SENTENCE and not STOP_WORDS[language].isdisjoint(words)
    return message if is_sentence else ""


def contains_phrase(folded_text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand next to each other; case, accents and what is between words are ignored.

    Args:
        folded_text: The text after ``fold_text``.
        phrase: As typed.
    """
    pieces = re.findall(r"\w+", fold_text(phrase))
    if not all(piece in folded_text for piece in pieces):
        return False  # most texts, for a hundredth of the time
    pattern = r"[\W_]+".join(map(re.escape, pieces))
    return re.search(rf"(?<![^\W_]){pattern}(?![^\W_])" if phrase.isascii() else pattern, folded_text) is not None


def fold_text(text: str) -> str:
    """A text in lower case and without accents, for comparing pieces as typed."""
    return text.lower() if text.isascii() else fold(text.casefold())
