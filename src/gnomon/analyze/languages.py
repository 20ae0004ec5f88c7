"""Function words of languages: which language a text is in, and which words of a question carry no meaning.

Languages with a script of their own need no guess (``stems`` goes by script); these share the Latin one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice
from typing import Final

_FUNCTION_WORDS: Final = {
    "english": (
        "a about an and any are as at be been being but by can could did do does doing for from get got had has have"
        " having he her his how i if in into is it its me my no not of on one or our over shall she should so some such"
        " than that the their them then there these they this those through to under up use used uses using via was we"
        " were what when where which while who whom whose why will with would you your s t re ve ll"
    ),
    "german": (
        "aber als am an auch auf aus bei bin bis da damit dann das dass dem den der des die dies diese diesem diesen"
        " dieser dieses durch ein eine einem einen einer eines er es für fuer gab gibt hat hatte hatten ich ihr ihre"
        " im in ins ist kann können man mit nach nicht noch nur oder ob seine seiner seit sich sie sind so über um und"
        " unter vom von vor war waren warum was welche welchem welchen welcher welches wenn wer werden wie wird wo"
        " wofür woher wohin worden wurde wurden zu zum zur zwischen viele viel"
    ),
    "french": (
        "à au aux avec ce ces cette comme comment dans de des du elle en est et été être il ils je la le les leur leurs"
        " lui mais ne nous on ont où ou par pas plus pour pourquoi quand que quel quelle quelles quels qui sa sans se"
        " ses son sont sur un une vous y"
    ),
    "spanish": (
        "al cómo como con cuál cuáles cuándo cuando de del dónde donde el ella ellos en entre era es esta este están"
        " está fue fueron ha han la las lo los más muy no o para pero por porque qué que quién quien se según ser si"
        " sin sobre son su sus también un una uno y ya"
    ),
    "italian": (
        "a al alla alle anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e era gli ha hanno"
        " i il in la le lo ma nel nella non o per perché più qual quale quali quando quanto questo se si sono su sua"
        " suo tra un una uno è"
    ),
    "portuguese": (
        "a ao aos as às com como da das de do dos e é ela ele em era essa esse esta está este foi foram há isso mais"
        " mas na não nas no nos o os ou para pela pelo por porque qual quais quando que quem se sem ser seu sua são"
        " também um uma"
    ),
    "dutch": (
        "aan al als bij dan dat de den der deze die dit door een en er geen had heeft het hij hoe hun ik in is kan maar"
        " met naar niet nog of om onder ons ook op over te tot uit van voor waar waarom wanneer was wat welke werd wie"
        " worden wordt zich zij zijn zo"
    ),
    "swedish": (
        "alla att av de den det dem där eller en ett finns från för ha hade han har hon hur i inte jag kan med men när"
        " och om på sig ska som så till under upp vad var varför vi vid vilka vilken är"
    ),
    "danish": (
        "af at blev bliver da de den der det dette du efter eller en er et fra for han har hun hvad hvem hvor hvordan"
        " hvorfor i ikke jeg kan med men når og også om op på sig skal som til ud var ved vi være"
    ),
    "norwegian": (
        "av at ble blir da de den der det dette du eller en er et etter fra for han har hun hva hvem hvor hvordan"
        " hvorfor i ikke jeg kan med men når og også om opp på seg skal som til ut var ved vi være"
    ),
    "finnish": (
        "ei että ja hän jos joka jotka kanssa kuin kun kuka koska mikä missä miten mitä mukaan myös ne niin oli olla on"
        " ovat se sekä tai tämä vain voi"
    ),
    "polish": (
        "a ale był była było być co czy dla do gdzie i ich jak jako jest jego jej kiedy kto który która które na nie o"
        " od oraz po pod przez przy są się tak to w we z za ze że"
    ),
    "turkish": "bir bu da daha de değil en gibi hangi için ile kadar kim mi ne neden nerede olan olarak ve veya",
    "romanian": "a al ale au ca care ce cu când de din după este fi în la mai nu o pe pentru prin sau se și sunt un",
    "hungarian": "a az azt be csak de egy és ez ezt hogy hogyan ha is ki le meg mely mi mit nem vagy van volt",
    "czech": "a aby ale by co do i jak jako je jeho jsou k kde která které který když na nebo o od po pro při se že v",
    "indonesian": "ada adalah akan apa atau bagaimana dan dari dengan di ini itu ke oleh pada sebagai tidak untuk yang",
}
STOP_WORDS: Final = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
_LANGUAGES_OF: Final[dict[str, tuple[str, ...]]] = {
    word: tuple(language for language, words in STOP_WORDS.items() if word in words)
    for word in sorted(set().union(*STOP_WORDS.values()))
    if len(word) > 1
}

# Words read for the guess: a passage says in its first lines what language it is in.
_WORDS_READ: Final = 200
# Share of function words below which a text is no running text (code, tables): running text has 0.3 to 0.5.
_FUNCTION_SHARE: Final = 0.12


def guess_language(lower_words: Iterable[str], *, least: int = 1) -> str:
    """The language whose function words are most frequent, "english" where nothing speaks for another.

    Args:
        lower_words: Words in lower case, in order; the first 200 are read.
        least: Function words that speak for another language than English, at least.

    Returns:
        A key of ``STOP_WORDS``.
    """
    words = list(islice(lower_words, _WORDS_READ))
    counts = Counter(chain.from_iterable(filter(None, map(_LANGUAGES_OF.get, words))))
    if not counts:
        return "english"
    best, found = max(counts.items(), key=lambda item: (item[1], item[0] == "english"))
    enough = max(least, _FUNCTION_SHARE * len(words))
    return best if found > counts.get("english", 0) and found >= enough else "english"
