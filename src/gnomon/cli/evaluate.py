"""``gnomon evaluate FILE``: score the search on your own questions, part by part."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from gnomon.cli import render
from gnomon.cli.arguments import count
from gnomon.cli.session import open_corpus, read_text
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND, UsageError
from gnomon.figures import number, things

if TYPE_CHECKING:
    from gnomon.measure.evaluate import Evaluation


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "evaluate",
        help="score the search on your own questions",
        description='Each line of FILE is {"question": "...", "expect": ["src/a.py", "docs/b.md:10-30"]}. Exit code 1: '
        "the figures are below the baseline.",
    )
    parser.add_argument("file", metavar="FILE", help="questions with the files or lines that answer them (JSONL)")
    parser.add_argument("-k", type=count(), default=5, metavar="N", help="for recall (default: %(default)s)")
    parser.add_argument("--baseline", metavar="FILE", help='fail below it: {"nDCG@10": 0.8, "hit@1": 0.6}')
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ask all questions in every way and print the figures; exit code 1 below the baseline."""
    from gnomon.measure.evaluate import below_baseline, evaluate, require_fresh
    from gnomon.measure.questions import read_questions
    from gnomon.search.arms import arms

    corpus = open_corpus(args)
    questions = read_questions(read_text(args.file))
    baseline = _baseline(args.baseline) if args.baseline else {}
    store = corpus.store()
    require_fresh(changed=corpus.changed_files(), vectors_missing=store.status().vectors_missing)
    indexed = [f"{each.document.folder}/{each.document.path}" for each in store.documents()]
    result = evaluate(questions, arms(store, corpus.embedder, corpus.search_options()), k=args.k, indexed=indexed)
    if args.json:
        print(render.json_text(_fields(result)))
    else:
        _print(result)
    short = below_baseline(result.arms[-1].figures, baseline)
    for sentence in short:
        print(sentence, file=sys.stderr)
    return EXIT_NOTHING_FOUND if short else EXIT_DONE


def _baseline(path: str) -> dict[str, float]:
    try:
        floors = json.loads(read_text(path))
    except (ValueError, RecursionError) as e:
        raise UsageError(f"{path} is no JSON: {e}") from e
    if not isinstance(floors, dict) or not all(isinstance(floor, (int, float)) for floor in floors.values()):
        raise UsageError(f'{path} must hold floors, such as {{"nDCG@10": 0.8, "hit@1": 0.6}}')
    return floors


def _warn_of_unknown(result: Evaluation) -> None:
    """Before the figures, since they mean something else with it."""
    for path in result.unknown:
        lines = [q.line for q in result.questions if any(expected.path == path for expected in q.expected)]
        where = f"{things(len(lines), 'line')} {', '.join(map(str, lines))}"
        told = (
            f"expected but not in the index, so that it counts as not found: {path} ({where}; see: gnomon why {path})"
        )
        print(render.safe(f"warning: {told}"))


def _print(result: Evaluation) -> None:
    from gnomon.measure.evaluate import FEWEST_QUESTIONS

    _warn_of_unknown(result)
    print(number(len(result.questions), "question"))
    print(f"{'':18s} nDCG@10     MRR   hit@1  recall@{result.k}  p50 ms  p95 ms")
    for arm in result.arms:
        f = arm.figures
        quality = f"{f.ndcg:7.3f} {f.mrr:7.3f} {f.hit_at_1:7.3f} {f.recall_at_k:9.3f}"
        print(f"{arm.name:18s} {quality} {f.p50_ms:7.1f} {f.p95_ms:7.1f}")
    few = len(result.questions) < FEWEST_QUESTIONS
    doubt = f"could be chance (fewer than {FEWEST_QUESTIONS} questions cannot tell)" if few else "could be chance"
    for d in result.differences:
        verdict = "more than chance" if d.is_more_than_chance else doubt
        print(f"{d.better} over {d.than}: {d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}], p {d.p:.3f}: {verdict}")
    missed = [q for q, rank in zip(result.questions, result.arms[-1].rank_of, strict=True) if not rank]
    for question in missed:
        print(f"not among the first ten: line {question.line}: {question.text}")


def _fields(result: Evaluation) -> dict[str, object]:
    from gnomon.measure.evaluate import figures_by_name

    return {
        "questions": len(result.questions),
        "k": result.k,
        "arms": {
            arm.name: {**figures_by_name(arm.figures), "p50Ms": arm.figures.p50_ms, "p95Ms": arm.figures.p95_ms}
            for arm in result.arms
        },
        "differences": [
            {"better": d.better, "than": d.than, "mean": d.mean, "low": d.low, "high": d.high, "p": d.p}
            for d in result.differences
        ],
        "unknown": list(result.unknown),
    }
