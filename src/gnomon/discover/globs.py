"""Path patterns as git reads them, turned into regular expressions that cannot run away.

``translate`` serves the ignore rules; ``matches_glob`` is the one matcher behind ``--path``, ``fileGlob`` and
``include``. Stars become lazy atomic groups (the earliest match of what stands between two stars is always as good
as a later one), so a hostile pattern costs at most the square of a path's length.
"""

from __future__ import annotations

import re
from functools import lru_cache

MAX_PATTERN_CHARS = 4096
_MAX_ALTERNATIVES = 256  # of {a,b}{c,d}…; beyond it the braces are taken literally
_WILDCARDS = re.compile(r"[*?\[\\]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_POSIX = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def is_literal(pattern: str) -> bool:
    """Whether a pattern has no character with a meaning of its own."""
    return _WILDCARDS.search(pattern) is None


def translate(pattern: str) -> str | None:
    """Turn a pattern into a regular expression for ``fullmatch`` with ``re.DOTALL``.

    ``*``, ``?`` and ``[...]`` stay within one part of the path; ``**`` as a whole part stands for any number of parts
    (at the end: for everything below, not for the folder itself). A backslash takes the next character literally.

    Args:
        pattern: Anchored at both ends, without leading or trailing slash.

    Returns:
        The expression, or None where git would match nothing: an unclosed bracket, a lone backslash at the end.

    >>> re.fullmatch(translate("src/**/*.py"), "src/a/b/c.py") is not None
    True
    """
    parts = _split(pattern) if len(pattern) <= MAX_PATTERN_CHARS else None
    if parts is None:
        return None
    chunks: list[list[str]] = [[]]
    for part in _merged(parts):
        if part == "**":
            chunks.append([])
        else:
            piece = _translate_part(part)
            if piece is None:
                return None
            chunks[-1].append(piece)
    return _join(chunks)


def _split(pattern: str) -> list[str] | None:
    """The parts between slashes; a slash in a set or after a backslash is none of those. None for an open bracket."""
    parts = [""]
    i = 0
    while i < len(pattern):
        bracket = _translate_bracket(pattern, i + 1) if pattern[i] == "[" else None
        if bracket is None and pattern[i] == "[":
            return None  # at the first one: looking for the end of each would take the square of the length
        end = bracket[1] if bracket else i + 2 if pattern[i] == "\\" else i + 1
        if pattern[i] == "/":
            parts.append("")
        else:
            parts[-1] += pattern[i:end]
        i = end
    return parts


def _merged(parts: list[str]) -> list[str]:
    stars = ["**" if len(part) > 1 and not part.strip("*") else part for part in parts]
    return [part for i, part in enumerate(stars) if part != "**" or i == 0 or stars[i - 1] != "**"]


def _join(chunks: list[list[str]]) -> str:
    """Chunks are the runs of parts between ``**``; the earliest place for each but the last is the best one."""
    if len(chunks) == 1:
        return "/".join(chunks[0])
    first, *inner, last = ("/".join(chunk) for chunk in chunks)
    head = f"{first}/" if chunks[0] else ""
    middle = "".join(f"(?>(?:[^/]+/)*?{chunk}/)" for chunk in inner)
    tail = f"(?:[^/]+/)*{last}" if chunks[-1] else ".+"
    return head + middle + tail


def _translate_part(part: str) -> str | None:
    """One part of a path: literal runs between stars, each found at its earliest place."""
    runs = [""]
    i = 0
    while i < len(part):
        char = part[i]
        i += 1
        if char == "*":
            runs.append("")
        elif char == "?":
            runs[-1] += "[^/]"
        elif char == "[":
            bracket = _translate_bracket(part, i)
            if bracket is None:
                return None
            expression, i = bracket
            runs[-1] += expression
        elif char == "\\":
            if i == len(part):
                return None
            runs[-1] += re.escape(part[i])
            i += 1
        else:
            runs[-1] += re.escape(char)
    if len(runs) == 1:
        return runs[0]
    first, *inner, last = runs
    return first + "".join(f"(?>[^/]*?{run})" for run in inner if run) + "[^/]*" + last


def _translate_bracket(part: str, i: int) -> tuple[str, int] | None:
    """The set that opens before ``i``: its expression and the place after it; None where it never closes."""
    negated = part[i : i + 1] in {"!", "^"}
    i += negated
    start, items = i, ""
    while i < len(part) and (part[i] != "]" or i == start):
        if part.startswith("[:", i):
            end = part.find(":]", i + 2)
            name = _POSIX.get(part[i + 2 : end]) if end > 0 else None
            if name is None:
                return None
            items, i = items + name, end + 2
            continue
        low, i = _bracket_char(part, i)
        high = low
        if part[i : i + 1] == "-" and part[i + 1 : i + 2] not in {"]", ""}:
            high, i = _bracket_char(part, i + 1)
        # As in git, the start of a range counts even where the range is upside down.
        items += f"{re.escape(low)}-{re.escape(max(low, high))}"
    if i >= len(part):
        return None
    if not items:
        return ("[^/]" if negated else "(?!)"), i + 1
    return (f"[^/{items}]" if negated else f"(?!/)[{items}]"), i + 1


def _bracket_char(part: str, i: int) -> tuple[str, int]:
    if part[i] == "\\" and i + 1 < len(part):
        return part[i + 1], i + 2
    return part[i], i + 1


def matches_glob(path: str, pattern: str) -> bool:
    """Whether a path is one that the pattern asks for.

    - Without a slash it looks at names, at any depth: ``*.py``. With one, at the whole path: ``src/**/*.py``.
    - A name without wildcards, or anything with a slash at its end, also stands for all below: ``docs``, ``src/api/``.
    - ``{ts,tsx}`` stands for either. ``./`` and ``/`` at the start mean the folder.
    - A pattern that is the path itself matches, whatever characters it has (``pages/[slug].tsx``).

    Args:
        path: Relative to its folder, ``/`` between parts.
        pattern: Case-sensitive; "" matches nothing.

    >>> matches_glob("src/api/auth.py", "*.py"), matches_glob("src/api/auth.py", "src/*.py")
    (True, False)
    """
    return path == pattern or _compiled(pattern).fullmatch(path) is not None


def matches_in(root: str, path: str, pattern: str) -> bool:
    """The same for a pattern that may have the root of a folder before it, and then is of that folder alone.

    >>> matches_in("/notes", "a/b.md", "/notes/a/"), matches_in("/code", "a/b.md", "/notes/a/")
    (True, False)
    """
    head = f"{root}/"
    if pattern.startswith(head):
        inside = pattern[len(head) :]
        return path == inside or path.startswith(f"{inside.rstrip('/')}/") or matches_glob(path, f"/{inside}")
    # A place above the folder: it may be one that lies in another.
    return matches_glob(path, pattern) or (
        pattern.startswith("/")
        and (head.startswith(f"{pattern.rstrip('/')}/") or matches_glob(f"{head}{path}"[1:], pattern))
    )


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    expressions = [_glob_expression(alternative) for alternative in _expanded(pattern)]
    return re.compile("|".join(f"(?:{e})" for e in expressions), re.DOTALL)


def _expanded(pattern: str) -> list[str]:
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(done) + len(waiting) > _MAX_ALTERNATIVES:
            return [pattern]
        current = waiting.pop()
        braces = _BRACES.search(current)
        if braces is None:
            done.append(current)
            continue
        waiting += [
            current[: braces.start()] + choice + current[braces.end() :] for choice in braces.group(1).split(",")
        ]
    return done


def _glob_expression(pattern: str) -> str:
    text = pattern.removeprefix("./")
    anchored = "/" in text.rstrip("/")
    folder = text.endswith("/")
    text = text.strip("/")
    if not text:
        return "(?!)" if not pattern else ".+"
    expression = translate(text)
    if expression is None:  # an unclosed bracket is more likely a name than a mistake
        expression = re.escape(text)
    head = "" if anchored else "(?:[^/]+/)*"
    below = "/.+" if folder else "(?:/.+)?" if is_literal(text) else ""
    return f"{head}(?:{expression}){below}"
