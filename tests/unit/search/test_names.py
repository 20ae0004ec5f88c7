"""Whether names are made of a question's words."""

from __future__ import annotations

import pytest

from gnomon.search.names import Terms, name_stems


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("trying", "triedAgain"),
        ("use", "usingNamespace"),
        ("die", "dyingGasp"),
        ("sky", "openSkies"),
        ("cache", "cachedValue"),
    ],
)
def test_name_that_counts_is_not_ruled_out_unread(word: str, name: str) -> None:
    """Whatever the stemmer made of its letters."""
    terms = Terms(name_stems(word).stems)
    assert terms.count(name_stems(name)) == 1
    assert terms.may_count([name])
