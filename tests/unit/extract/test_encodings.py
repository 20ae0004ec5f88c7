"""Bytes become the right characters, or the guess is named."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import DocumentError
from gnomon.extract.encodings import decode
from gnomon.values import SkipReason

_SENTENCES = {
    "cp932": "検索エンジンの設計方針を説明します。\nインデックスは一つです。",
    "euc_jp": "検索エンジンの設計方針を説明します。\nインデックスは一つです。",
    "euc_kr": "검색 엔진 설계 방침 문서입니다.",
    "gb18030": "这是一个关于搜索引擎设计的文件。",
    "big5": "這是一個關於搜尋引擎設計的文件。",
    "koi8_r": "Это документ о поиске. Мы должны индексировать всё.",
    "cp1251": "Это документ о поиске. Мы должны индексировать всё.",
    "cp1253": "Αυτό είναι ένα έγγραφο για την αναζήτηση",
    "cp1252": "Prüfung größerer Übersicht – „so“ geht’s",
    "latin-1": "Prüfung größerer Übersicht",
}


@pytest.mark.parametrize("encoding", _SENTENCES)
def test_legacy_encoding_is_guessed_right_and_the_guess_is_named(encoding: str) -> None:
    """A sentence is enough to tell the usual code pages apart."""
    text = _SENTENCES[encoding]
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.warnings == (f"The encoding is a guess: {decoded.encoding}.",)


_TEXTS = {
    "japanese": (
        "検索エンジン",
        "検索エンジンの設計方針",
        "# 設計\n\nインデックスは一つだけです。検索は速くなければなりません。",
    ),
    "korean": (
        "검색 엔진",
        "안녕하세요",
        "검색 엔진 설계 방침 문서입니다.",
        "# 설계\n\n색인은 하나뿐입니다. 빨라야 합니다.",
    ),
    "simplified": (
        "搜索引擎",
        "中文文件",
        "这是一个关于搜索引擎设计的文件。",
        "# 设计\n\n索引只有一个。搜索必须很快。",
    ),
    "traditional": ("搜尋引擎", "中文檔案", "這是一個關於搜尋引擎設計的文件。", "# 設計\n\n索引只有一個。"),
    "russian": ("Привет мир", "поиск работает", "# Дизайн\n\nИндекс только один. Поиск должен быть быстрым."),
    "ukrainian": ("Привіт, світе", "Це документ про пошук і його їжаків."),
    "german": ("Größe", "für", "Prüfung", "# Prüfung\n\nDie Größe der Übersicht ändert sich."),
    "french": ("é", "Café", "déjà vu", "L'élève a été reçu à l'école où il étudiait."),
    "spanish": ("año", "El niño comió piña.", "¿Dónde está el baño? ¡Qué sorpresa!"),
    "polish": ("Zażółć gęślą jaźń", "Wyszukiwarka indeksuje wszystkie pliki, żeby można je było znaleźć później."),
    "czech": ("Příliš žluťoučký kůň úpěl ďábelské ódy", "Vyhledávač musí být rychlý."),
    "greek": ("Αναζήτηση", "Αυτό είναι ένα έγγραφο για την αναζήτηση"),
    "turkish": ("Türkçe ğüşıöç", "Arama motoru hızlı olmalıdır. Şimdi çalışıyor."),
    "arabic": ("هذا مستند عن البحث",),
    "thai": ("นี่คือเอกสารเกี่ยวกับการค้นหา",),
}
_CODECS = {
    "japanese": "cp932 euc_jp iso2022_jp",
    "korean": "euc_kr",
    "simplified": "gb18030",
    "traditional": "big5",
    "russian": "cp1251 koi8_r cp866",
    "ukrainian": "cp1251",
    "german": "latin-1 cp1252 cp850",
    "french": "latin-1",
    "spanish": "latin-1",
    "polish": "cp1250 iso8859_2",
    "czech": "cp1250 iso8859_2",
    "greek": "cp1253",
    "turkish": "cp1254",
    "arabic": "cp1256",
    "thai": "cp874",
}


@pytest.mark.parametrize(
    ("language", "encoding"), [(language, codec) for language, codecs in _CODECS.items() for codec in codecs.split()]
)
@pytest.mark.parametrize("before", ["", "# Notes about things\n\n"])
def test_texts_of_every_length_are_guessed_right(language: str, encoding: str, before: str) -> None:
    """From a word on, alone or among ASCII; and the guess is named."""
    for text in _TEXTS[language]:
        decoded = decode((before + text).encode(encoding))
        assert decoded.text == before + text
        assert decoded.warnings == (f"The encoding is a guess: {decoded.encoding}.",)


@pytest.mark.parametrize("language", _TEXTS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_texts_of_every_script_are_recognised(language: str, encoding: str) -> None:
    """A line end is enough to know UTF-16 and UTF-32 by."""
    for text in _TEXTS[language]:
        line = f"{text}\nthe end\n"
        assert decode(line.encode(encoding)).text == line


@pytest.mark.parametrize("language", ["russian", "ukrainian", "greek", "arabic", "thai"])
def test_wide_alphabets_need_no_line_end(language: str) -> None:
    """Every second byte is the number of the alphabet."""
    text = _TEXTS[language][0].replace(" ", "")
    assert decode(text.encode("utf-16-le")).text == decode(text.encode("utf-16-be")).text == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_marked_text_loses_its_mark_only(encoding: str) -> None:
    """A BOM decides, is dropped, and is no guess."""
    text = "größer 検索\r\nzwei"
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.warnings == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_recognised(encoding: str) -> None:
    """UTF-16 and UTF-32 without BOM are told by their readable characters."""
    text = "This is größer,\nthe second line. 検索\n"
    assert decode(text.encode(encoding)).text == text
    assert decode(text.encode(encoding)).encoding == encoding


def test_utf_8_is_no_guess() -> None:
    """What is valid UTF-8 is UTF-8, without a warning."""
    assert decode("größer\u2028é".encode()).warnings == ()


def test_declared_encoding_is_believed() -> None:
    """A coding cookie is not a guess."""
    decoded = decode('# -*- coding: iso-8859-15 -*-\nprice = "5 €"\n'.encode("iso-8859-15"))
    assert (decoded.encoding, decoded.warnings) == ("iso8859-15", ())
    assert "5 €" in decoded.text


def test_declared_nonsense_is_ignored() -> None:
    """A declaration that names no codec of text changes nothing."""
    assert "größer" in decode("# coding: zlib\ngrößer als alles andere".encode("cp1252")).text


def test_damaged_utf_8_stays_utf_8() -> None:
    """A few broken bytes cost themselves only."""
    decoded = decode("größer für ähnliche Öfen".encode() + b"\xff")
    assert decoded.text == "größer für ähnliche Öfen\ufffd"
    assert decoded.encoding == "utf-8"
    assert decoded.warnings


@pytest.mark.parametrize(("encoding", "text"), [("iso2022_jp", "検索エンジン"), ("iso2022_kr", "검색 엔진")])
def test_stateful_encoding_is_decoded(encoding: str, text: str) -> None:
    """ISO-2022 is ASCII to the eye and still recognised."""
    assert decode(text.encode(encoding)).text == text


def test_euro_sign_of_latin_9_is_one() -> None:
    """Nobody writes the sign for any currency."""
    assert decode("größer als 5 €".encode("iso8859_15")).text == "größer als 5 €"


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\x1f\x8b\x08\0abc", bytes(range(1, 32)) * 20])
def test_binary_content_is_refused(content: bytes) -> None:
    """A NUL early on, or control characters throughout, are no text."""
    with pytest.raises(DocumentError) as caught:
        decode(content)
    assert caught.value.reason == SkipReason.BINARY_CONTENT


def test_late_nul_costs_one_character() -> None:
    """Past the sniffed part a NUL is replaced one for one, with a warning."""
    decoded = decode(b"x" * 5000 + b"\0y")
    assert decoded.text == "x" * 5000 + "\ufffdy"
    assert decoded.warnings


@given(st.binary(max_size=300))
def test_any_bytes_become_clean_text_or_one_error(content: bytes) -> None:
    """No other exception; the text has neither lone surrogates nor NUL."""
    try:
        text = decode(content).text
    except DocumentError:
        return
    text.encode("utf-8")
    assert "\0" not in text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=200))
def test_printable_utf_8_survives_whole(text: str) -> None:
    """No character of valid UTF-8 is lost or changed."""
    try:
        decoded = decode(text.encode())
    except DocumentError:
        return  # mostly control characters
    if "\x1b$" not in text:
        assert decoded.text == text


@pytest.mark.parametrize("bom", [codecs.BOM_UTF32_LE, codecs.BOM_UTF8])
def test_mark_before_rubbish_is_not_believed(bom: bytes) -> None:
    """A mark alone does not make text of what follows."""
    with pytest.raises(DocumentError):
        decode(bom + bytes(range(1, 32)) * 40 + b"\xd8\xff" * 2000)
