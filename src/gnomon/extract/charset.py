"""A guess at a legacy encoding: charset-normalizer among the code pages people used, then a look at the letters.

The library compares noise and letter frequencies, which short texts do not carry. So within a family of code pages
that can all decode a text, the reading with the fewest letters in odd places wins, and cp1252 where readings tie.
"""

from __future__ import annotations

import re
import unicodedata

_LATIN = ("cp1252", "iso8859_15", "cp1250", "iso8859_2", "cp1254", "mac_roman", "cp850", "cp437")
_CYRILLIC = ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic")
_DOUBLE_BYTE = ("cp932", "euc_jp", "cp949", "gb18030", "big5")
_ALPHABETS = ("cp1253", "cp1255", "cp1256", "cp874")
_OTHERS = ("cp1257", "cp1258", "iso2022_jp")
_FAMILIES = (_LATIN, _CYRILLIC, _DOUBLE_BYTE)
_CANDIDATES = [*_LATIN, *_CYRILLIC, *_DOUBLE_BYTE, *_ALPHABETS, *_OTHERS]
# Handicaps of code pages that few texts are left in.
_RARE_CODECS = {"mac_roman": 0.25, "mac_cyrillic": 0.25, "cp437": 0.2, "cp850": 0.15, "iso8859_5": 0.1, "cp874": 0.1}
# Letters beyond ASCII of the languages written with these code pages, one language a word.
_ACCENTED = (
    "äöüß éèêëàâîïôûùüçœæÿ áéíóúñü ãõáâàéêíóôúüç àèéìíîòóùú ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű "
    "ăâîșțşţ çğıöşüiâî åäöøæé čćđšž þðáéíóúýæö äõöüšž āčēģīķļņšūž ąčęėįšųūž éëïöü"
)
_LETTERS = tuple(map(frozenset, _ACCENTED.split()))
# The letters that three quarters of a text are made of.
_COMMON_LETTERS = {
    "\u0400": frozenset("оеаинтсрвлкмі"),
    "\u0300": frozenset("αοτεινσρκπυλςάέήίό"),
    "\u0500": frozenset("יוהלאמתרבשנ"),
    "\u0600": frozenset("ايلمنوتربهعدةأ"),
}
_COMMON_SHARE = 0.6
_COMMON_HANGUL_SHARE = 0.3
_FEWEST_HAN = 4
_COMMON_HANGUL = frozenset(
    "이다는의에을가고를은로하지도기사한어서인나자아시그대리스일정전해라수과만으보부장들동상제구소있연원주신거안조면게유국것위여비"
    "우공무선내마오생중경모터운성실회했등까할방진세발건관학년말습니요네더입문계설색개용행된되명와각미단문화재현체당적간"
)
_CENTRAL_EUROPEAN = frozenset(["Croatian", "Czech", "Hungarian", "Polish", "Romanian", "Slovak", "Slovene"])

# White space or ASCII between marks a border; a symbol or a capital inside a word is a sign of a wrong reading.
_SYMBOL_IN_WORD = re.compile(
    r"(?<=[^\W\d_])(?:[^\w\s\x00-\x7f\u2019\u00ad\u2010-\u2014]|[\u00b2\u00b3\u00b9\u00bc-\u00be])(?=[^\W\d_])"
    "|[\u05b0-\u05c7\u3131-\u318e]|[\u060c\u061b\u061f](?=[\u0620-\u064a])"  # points and letters without their word
)
_CAPITAL_IN_WORD = re.compile(r"(?<=[a-z\u00df-\u00f6\u00f8-\u00ff\u0430-\u045f])[^\W\d_\x00-\x7f]")
_C1 = re.compile("[\x80-\x9f\ufffd\ue000-\uf8ff]")
_HALF_WIDTH_KANA = re.compile("[\uff61-\uff9f]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3041-\u30fa]")
_SCRIPT_BESIDE_LATIN = re.compile(
    "(?<=[A-Za-z\u00c0-\u024f])[\u0370-\u06ff\u0e00-\u0e7f]|[\u0370-\u06ff\u0e00-\u0e7f](?=[A-Za-z\u00c0-\u024f])"
)
_EAST_ASIAN_BESIDE_LATIN = re.compile("(?<=[a-z])[\u1100-\uffef]|[\u1100-\uffef](?=[a-z])")
_ASCII_LETTER = re.compile("[A-Za-z]")
_RARE_CYRILLIC = re.compile("[\u0450\u0452\u0453\u0455\u0458-\u045f]")
_EBCDIC_BLANKS = 0.08
# What a family other than the library's choice must gain, per foreign character.
_OTHER_FAMILY = 0.4
_FEW_BYTES = 2


def guess(sample: bytes) -> str:
    """Name of the most likely codec, never "" : cp1252 where nothing speaks for another.

    Args:
        sample: Bytes that are not UTF-8, some 32 KB at most.
    """
    # The blank of EBCDIC is ASCII's "@"; no text has that many of the one and so few of the other.
    if sample.count(b"@") > _EBCDIC_BLANKS * len(sample) and sample.count(b" ") < len(sample) / 100:
        return "cp500"
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_CANDIDATES).best()
    if best is None:
        return min((*_LATIN, *_DOUBLE_BYTE, *_CYRILLIC), key=lambda codec: _oddity(sample, codec))
    if best.encoding in _LATIN and best.language in _CENTRAL_EUROPEAN and best.coherence > 0.5:
        return str(best.encoding)
    family = next((family for family in _FAMILIES if best.encoding in family), (best.encoding,))
    first = (best.encoding,) if family is _DOUBLE_BYTE else ()
    # A letter or two say nothing about the family: most files are Western.
    few = sum(byte > 0x7F for byte in sample) <= _FEW_BYTES
    kin = family if not few else (*_LATIN, *family)
    order: dict[str, None] = dict.fromkeys((*first, *kin, *_LATIN, *_CYRILLIC, *_DOUBLE_BYTE, *_ALPHABETS))
    return min(order, key=lambda codec: _oddity(sample, codec) + (0 if codec in kin else _OTHER_FAMILY))


def _oddity(sample: bytes, codec: str) -> float:
    """How strange a reading looks, per character that is not ASCII; lower is better."""
    text = sample.decode(codec, "replace")
    foreign = max(1, len(text) - len(text.encode("ascii", "ignore")))
    odd = 8.0 * len(_C1.findall(text)) + 2.0 * len(_SYMBOL_IN_WORD.findall(text))
    odd += 2.0 * text.count("\u00a4")  # the sign for any currency stands where a later code page has the euro
    odd += _foreign_han(text, codec) if codec in _DOUBLE_BYTE else _odd_capitals(text)
    if codec in _LATIN or codec in _OTHERS:
        odd += foreign * _foreign_letters(text)
        if foreign > max(_FEW_BYTES, 2 * len(_ASCII_LETTER.findall(text))):
            odd += foreign  # accents are the exception in every language of these code pages
    elif codec not in _DOUBLE_BYTE:
        odd += foreign * _rare_letters(text)
    return round(odd / foreign, 2) + _RARE_CODECS.get(codec, 0.0)


def _foreign_letters(text: str) -> float:
    """Share of the accented letters that the language which fits best does not have."""
    letters = [c for c in text.lower() if c > "\x7f" and c.isalpha()]
    return min(sum(c not in known for c in letters) for known in _LETTERS) / len(letters) if letters else 0.0


def _rare_letters(text: str) -> float:
    """How far the letters of another alphabet are from those that its texts are made of."""
    letters = [c for c in text.lower() if c > "\u02ff" and c.isalpha()]
    if not letters:
        return 0.0
    common = sum(c in _COMMON_LETTERS.get(chr(ord(c) & 0xFF00), ()) for c in letters)
    return 1.5 * max(0.0, _COMMON_SHARE - common / len(letters)) if letters[0] < "\u0e00" else 0.0


def _odd_capitals(text: str) -> float:
    inside = sum(1 for match in _CAPITAL_IN_WORD.findall(text) if match.isupper())
    capitals = sum(1 for c in text if c.isupper() and c > "\x7f")
    others = sum(1 for c in text if c > "\u00ff" and c != "\u20ac" and unicodedata.category(c)[0] in "SC")
    return (
        2.0 * inside
        + 0.5 * capitals
        + 2.0 * others
        + 0.5 * len(_RARE_CYRILLIC.findall(text))
        + 3.0 * len(_SCRIPT_BESIDE_LATIN.findall(text))
    )


def _foreign_han(text: str, codec: str) -> float:
    """Characters that decode but that texts in this encoding seldom hold."""
    odd = 3.0 * len(_HALF_WIDTH_KANA.findall(text)) + len(_EAST_ASIAN_BESIDE_LATIN.findall(text))
    hangul = _HANGUL.findall(text)
    han = _HAN.findall(text)
    odd += sum(1 for c in hangul if codec != "cp949" or not _is_common(c, "euc_kr", 0xB0, 0xC8))
    if codec == "cp949":
        missing = max(0.0, _COMMON_HANGUL_SHARE * len(hangul) - sum(c in _COMMON_HANGUL for c in hangul))
        return odd + len(han) + 0.5 * len(_KANA.findall(text)) + 1.5 * missing
    if codec in {"cp932", "euc_jp"}:
        # A Japanese sentence has kana; Korean read as Japanese has none.
        odd += 0.2 * len(han) if len(han) >= _FEWEST_HAN and not _KANA.search(text) else 0.0
        return odd + 0.7 * sum(1 for c in han if not _is_common(c, "euc_jp", 0xB0, 0xCF))
    if codec == "gb18030":
        return (
            odd + 0.7 * sum(1 for c in han if not _is_common(c, "gb2312", 0xB0, 0xD7)) + 0.8 * len(_KANA.findall(text))
        )
    return odd + 0.7 * sum(1 for c in han if not _is_common(c, "big5", 0xA4, 0xC6)) + 0.5 * len(_KANA.findall(text))


def _is_common(char: str, codec: str, low: int, high: int) -> bool:
    """Whether the standard behind the codec has the character among those it lists by frequency (level 1)."""
    try:
        return low <= char.encode(codec)[0] <= high
    except UnicodeEncodeError:
        return False
