"""Questions that have nothing to do with a corpus: of many walks of life, and of no meaning at all.

A corpus may be about one of them, so no walk of life has more than two: two of fifty do not move the 95th percentile.
"""

from __future__ import annotations

import random
from typing import Final

EVERYDAY: Final = (
    "who won the football world cup in 1990",
    "what is the offside rule",
    "recipe for sourdough bread with rye flour",
    "how is parmesan cheese aged",
    "how do black holes form",
    "which planets have rings",
    "symptoms of vitamin D deficiency",
    "what is the capital of Mongolia",
    "how tall is Mount Kilimanjaro",
    "how do I tune a guitar by ear",
    "who composed the Brandenburg concertos",
    "difference between a llama and an alpaca",
    "good names for a puppy",
    "best time of the year to plant tomatoes",
    "when were the pyramids of Giza built",
    "causes of the fall of the Roman empire",
    "who painted the girl with a pearl earring",
    "what is impressionism in painting",
    "how to remove red wine stains from a carpet",
    "how often should windows be cleaned",
    "plot of the second act of Hamlet",
    "what is a haiku",
    "cheap flights to Lisbon in October",
    "which visa is needed for a holiday in Vietnam",
    "training plan for a first marathon",
    "what causes the northern lights",
    "how deep is the Mariana trench",
    "how to knit a scarf for beginners",
    "how to fold a paper crane",
    "rules of castling in chess",
    "which grapes are used for Chianti",
    "what did the suffragettes achieve",
    "how to propose marriage in a romantic way",
    "what to wear at a summer wedding",
    "how many strings has a harp",
    "which bridge is the longest in the world",
    "how to get a toddler to sleep",
    "when is the next total solar eclipse",
    "used cars with the best mileage",
    "who directed the film Metropolis",
)
_GIBBERISH: Final = 10


def gibberish(rng: random.Random) -> list[str]:
    """Ten strings of made-up words, the same for the same generator."""
    return [" ".join(_word(rng) for _ in range(rng.randint(2, 5))) for _ in range(_GIBBERISH)]


def _word(rng: random.Random) -> str:
    return "".join(rng.choice("bcdfghjklmnpqrstvwxz") + rng.choice("aeiouy") for _ in range(rng.randint(2, 4)))
