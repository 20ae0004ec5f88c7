"""What each rule of docs/authoring.md is worth: the refusal corpus, written otherwise, asked the same 60 questions.

Run: python benchmarks/authoring/run.py. Each row changes one thing for the worse.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from gnomon.config import load_config
from gnomon.corpus import Corpus

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.refusal.run import HERE, documents

Documents = list[tuple[str, str]]  # (path, text)
Rewrite = Callable[[Documents], tuple[Documents, dict[str, str]]]  # new documents, and the new path of each old one


def as_written(old: Documents) -> tuple[Documents, dict[str, str]]:
    return old, {path: path for path, _ in old}


def vague_titles(old: Documents) -> tuple[Documents, dict[str, str]]:
    titles = ("Overview", "Notes", "Details", "Background")
    new = [(path, re.sub(r"^# .*", f"# {titles[i % 4]}", text, count=1)) for i, (path, text) in enumerate(old)]
    return new, {path: path for path, _ in old}


def without_titles(old: Documents) -> tuple[Documents, dict[str, str]]:
    return [(path, re.sub(r"^# .*\n+", "", text)) for path, text in old], {path: path for path, _ in old}


def numbered_names(old: Documents) -> tuple[Documents, dict[str, str]]:
    names = {path: f"docs/doc-{i:03d}.md" for i, (path, _) in enumerate(old)}
    return [(names[path], text) for path, text in old], names


def vague_and_numbered(old: Documents) -> tuple[Documents, dict[str, str]]:
    return numbered_names(vague_titles(old)[0])


def five_in_one(old: Documents) -> tuple[Documents, dict[str, str]]:
    """Five subjects in one document without headings of their own."""
    new, names = [], {}
    for start in range(0, len(old), 5):
        group = old[start : start + 5]
        path = f"docs/collection-{start // 5:02d}.md"
        bodies = [re.sub(r"^# .*\n+", "", text) for _, text in group]
        new.append((path, f"# Collection {start // 5}\n\n" + "\n".join(bodies)))
        names.update({each: path for each, _ in group})
    return new, names


def five_with_headings(old: Documents) -> tuple[Documents, dict[str, str]]:
    """Five subjects in one document, a heading each."""
    new, names = [], {}
    for start in range(0, len(old), 5):
        group = old[start : start + 5]
        path = f"docs/collection-{start // 5:02d}.md"
        new.append((path, f"# Collection {start // 5}\n\n" + "\n".join("#" + text for _, text in group)))
        names.update({each: path for each, _ in group})
    return new, names


def in_code_blocks(old: Documents) -> tuple[Documents, dict[str, str]]:
    new = []
    for path, text in old:
        title, _, body = text.partition("\n\n")
        new.append((path, f"{title}\n\n```text\n{body.strip()}\n```\n"))
    return new, {path: path for path, _ in old}


def long_preamble(old: Documents) -> tuple[Documents, dict[str, str]]:
    """The same paragraph of house style before each text."""
    house = (
        "This document is part of the engineering handbook. It is maintained by the team named in the list of owners "
        "and reviewed once a year. Please read it carefully, follow it, and tell the owners about mistakes you find. "
        "All rules apply to all employees and to everybody who works with us.\n\n"
    )
    return [(path, text.replace("\n\n", "\n\n" + house, 1)) for path, text in old], {path: path for path, _ in old}


VARIANTS: dict[str, Rewrite] = {
    "as written": as_written,
    "vague titles (Overview, Notes)": vague_titles,
    "no titles": without_titles,
    "file names doc-001.md": numbered_names,
    "vague titles and such names": vague_and_numbered,
    "five subjects a file, a heading each": five_with_headings,
    "five subjects a file, no headings": five_in_one,
    "text inside code blocks": in_code_blocks,
    "the same preamble everywhere": long_preamble,
}


def main() -> None:
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [row for row in map(json.loads, lines) if row["kind"] == "answerable"]
    print(f"{'':38s}  first  MRR   mean confidence of the right hit  refused at 0.25")
    for name, rewrite in VARIANTS.items():
        new, names = rewrite(documents())
        print(f"{name:38s}  {measure(new, names, questions)}", flush=True)


def measure(new: Documents, names: dict[str, str], questions: list[dict[str, str]]) -> str:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "corpus")
        for path, text in new:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        settings = Path(place, "config.json")
        settings.write_text(
            json.dumps({"defaultRoots": [str(folder)], "indexPath": str(Path(place, "index"))}), encoding="utf-8"
        )
        corpus = Corpus(load_config(settings))
        corpus.index()
        options = replace(corpus.search_options(ranking="hybrid"), k=10)
        first = reciprocal = confidence = refused = 0.0
        for row in questions:
            hits = corpus.search(row["question"], options).hits
            ranks = [hit.rank for hit in hits if hit.path == names[row["document"]]]
            first += bool(ranks) and ranks[0] == 1
            reciprocal += 1 / ranks[0] if ranks else 0
            right = [hit.confidence or 0.0 for hit in hits if hit.path == names[row["document"]]]
            confidence += max(right, default=0.0)
            refused += max((hit.confidence or 0.0 for hit in hits), default=0.0) < 0.25
        corpus.close()
    n = len(questions)
    return f"{first / n:5.2f}  {reciprocal / n:.3f}  {confidence / n:27.2f}  {refused / n:21.2f}"


if __name__ == "__main__":
    main()
