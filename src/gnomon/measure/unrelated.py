"""Questions that have nothing to do with a corpus: of many walks of life, and of no meaning at all.

A corpus may be about one of them; a few out of fifty do not move a percentile.
"""

from __future__ import annotations

import random
from typing import Final

EVERYDAY: Final = (
    "who won the football world cup in 1990",
    "recipe for sourdough bread with rye flour",
    "how do black holes form",
    "symptoms of vitamin D deficiency",
    "what is the capital of Mongolia",
    "how do I tune a guitar by ear",
    "difference between a llama and an alpaca",
    "what causes the northern lights",
    "when were the pyramids of Giza built",
    "how does photosynthesis work",
    "best time of the year to plant tomatoes",
    "who painted the girl with a pearl earring",
    "how to remove red wine stains from a carpet",
    "average lifespan of a house cat",
    "plot of the second act of Hamlet",
    "how do vaccines produce immunity",
    "cheap flights to Lisbon in October",
    "exercises against lower back pain",
    "why is the sea salty",
    "which planets have rings",
    "how to knit a scarf for beginners",
    "what did the suffragettes achieve",
    "how deep is the Mariana trench",
    "rules of castling in chess",
    "how are pearls formed in oysters",
    "which grapes are used for Chianti",
    "training plan for a first marathon",
    "how do bees make honey",
    "causes of the fall of the Roman empire",
    "what is a haiku",
    "how to fold a paper crane",
    "when is the next total solar eclipse",
    "how much water should a cactus get",
    "who composed the Brandenburg concertos",
    "how do glaciers move",
    "good names for a puppy",
    "how is parmesan cheese aged",
    "what is the offside rule",
    "how tall is Mount Kilimanjaro",
    "why do leaves change colour in autumn",
)
_GIBBERISH: Final = 10


def gibberish(rng: random.Random) -> list[str]:
    """Ten strings of made-up words, the same for the same generator."""
    return [" ".join(_word(rng) for _ in range(rng.randint(2, 5))) for _ in range(_GIBBERISH)]


def _word(rng: random.Random) -> str:
    return "".join(rng.choice("bcdfghjklmnpqrstvwxz") + rng.choice("aeiouy") for _ in range(rng.randint(2, 4)))
