"""Refusal on 80 short documents: 60 questions they answer, 60 they do not, half of those near the topic.

Run: python benchmarks/refusal/run.py [--json] [--code] [--grounded]. It indexes the corpus with the default model in a
temporary folder and asks through the product's own search. The confidence was fitted on other corpora; nothing here was
used for it. ``--code`` asks the sources of two installed packages instead: 20 questions each that they answer, 20 they
do not. ``--grounded`` asks by the grounded policy, and tells what that refuses by itself.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.search.refusal import SUGGESTED_MIN_CONFIDENCE
from gnomon.values import Label, Ranking

HERE = Path(__file__).parent
MOST_LOSS = 0.05
F1_WANTED = 0.85


@dataclass(frozen=True)
class Asked:
    """One question and the best evidence the search had for it."""

    kind: str
    question: str
    confidence: float
    cosine: float
    found: bool  # the document that answers is among the hits
    labels: tuple[Label, ...] = ()  # of the hits; none were there where it was refused

    @property
    def is_answerable(self) -> bool:
        return self.kind == "answerable"


@dataclass(frozen=True)
class Score:
    """What refusing below a threshold does."""

    threshold: float
    f1: float
    loss: float
    near_refused: float
    far_refused: float


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--code", action="store_true")
    parser.add_argument("--grounded", action="store_true")
    args = parser.parse_args(arguments)
    ranking: Ranking = "grounded" if args.grounded else "hybrid"
    asked = list(ask_code(ranking) if args.code else ask_documents(ranking))
    if args.grounded:
        return print_refusals(asked)
    confidence = score(asked, SUGGESTED_MIN_CONFIDENCE, "confidence")
    best = best_within(asked, "confidence")
    cosine = best_within(asked, "cosine")
    if args.json:
        rows = {"confidence": confidence, "confidenceBest": best, "cosineBest": cosine}
        print(json.dumps({name: row.__dict__ for name, row in rows.items()}, indent=2))
    else:
        print_table(asked, confidence, best, cosine)
    return 0 if confidence.f1 >= F1_WANTED and confidence.loss <= MOST_LOSS else 1


def ask_documents(ranking: Ranking = "hybrid") -> Iterator[Asked]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "corpus")
        for path, text in documents():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        yield from ask(folder, read_questions("questions.jsonl"), ranking)


def ask_code(ranking: Ranking = "hybrid") -> Iterator[Asked]:
    questions = read_questions("code_questions.jsonl")
    for package in dict.fromkeys(row["package"] for row in questions):
        found = importlib.util.find_spec(package)
        assert found
        assert found.origin
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, package)
            shutil.copytree(Path(found.origin).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
            yield from ask(folder, [row for row in questions if row["package"] == package], ranking)


def read_questions(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def ask(folder: Path, questions: Sequence[dict[str, str]], ranking: Ranking) -> Iterator[Asked]:
    with tempfile.TemporaryDirectory() as place:
        settings = Path(place, "config.json")
        settings.write_text(
            json.dumps({"defaultRoots": [str(folder)], "indexPath": str(Path(place, "index"))}), encoding="utf-8"
        )
        corpus = Corpus(load_config(settings))
        corpus.index()
        options = replace(corpus.search_options(ranking=ranking), k=5, min_confidence=None)
        for row in questions:
            hits = corpus.search(row["question"], options).hits
            yield Asked(
                row["kind"],
                row["question"],
                max((hit.confidence or 0.0 for hit in hits), default=0.0),
                max((hit.cosine or 0.0 for hit in hits), default=0.0),
                any(hit.path == row.get("document") for hit in hits),
                tuple(hit.label for hit in hits),
            )
        corpus.close()


def documents() -> list[tuple[str, str]]:
    text = (HERE / "corpus.md").read_text(encoding="utf-8")
    parts = re.split(r"^=== (\S+)\n", text, flags=re.MULTILINE)[1:]
    return [(path, body.strip() + "\n") for path, body in zip(parts[::2], parts[1::2], strict=True)]


def score(asked: Sequence[Asked], threshold: float, evidence: str) -> Score:
    def refused(rows: Sequence[Asked]) -> int:
        return sum(getattr(row, evidence) < threshold for row in rows)

    answerable = [row for row in asked if row.is_answerable]
    near = [row for row in asked if row.kind == "near"]
    far = [row for row in asked if row.kind == "far"]
    right = refused(near) + refused(far)
    f1 = 2 * right / (refused(asked) + len(near) + len(far))
    return Score(
        threshold,
        f1,
        refused(answerable) / len(answerable),
        refused(near) / len(near),
        refused(far) / len(far),
    )


def best_within(asked: Sequence[Asked], evidence: str) -> Score:
    """The best F1 that loses at most 5 % of the answerable questions; the threshold is chosen on this very set."""
    scores = (score(asked, each / 200, evidence) for each in range(200))
    return max((each for each in scores if each.loss <= MOST_LOSS), key=lambda each: each.f1)


def print_refusals(asked: Sequence[Asked]) -> int:
    unanswerable = [row for row in asked if not row.is_answerable]
    refused = [row for row in asked if not row.labels]
    right = sum(not row.labels for row in unanswerable)
    labels = [label for row in asked for label in row.labels]
    print(
        f"refusal F1 {2 * right / (len(refused) + len(unanswerable)):.3f}; refused {right} of {len(unanswerable)}"
        f" unanswerable and {len(refused) - right} of {len(asked) - len(unanswerable)} answerable questions\n"
        f"answered rightly {sum(row.found for row in asked)}; hits of the exact track alone {labels.count('exact')},"
        f" of both tracks {labels.count('both')}, of the semantic one alone {labels.count('semantic')}"
    )
    return 0


def print_table(asked: Sequence[Asked], confidence: Score, best: Score, cosine: Score) -> None:
    found = [row.found for row in asked if row.is_answerable]
    print(f"{len(asked)} questions; the answering document is among the first five of {sum(found)} of {len(found)}\n")
    print(f"{'':44s}threshold    F1   loss  near refused  far refused")
    for name, row in (
        ("confidence, threshold fixed beforehand", confidence),
        ("confidence, threshold best on this set", best),
        ("plain cosine, threshold best on this set", cosine),
    ):
        print(
            f"{name:44s}{row.threshold:9.3f} {row.f1:5.3f} {row.loss:6.3f} "
            f"{row.near_refused:13.2f} {row.far_refused:12.2f}"
        )
    wrong = [row for row in asked if row.is_answerable == (row.confidence < SUGGESTED_MIN_CONFIDENCE)]
    print(f"\nwrong at {SUGGESTED_MIN_CONFIDENCE}:")
    for each in sorted(wrong, key=lambda one: (one.kind, one.confidence)):
        print(f"  {each.kind:11s} confidence {each.confidence:.2f}  cosine {each.cosine:.2f}  {each.question}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
