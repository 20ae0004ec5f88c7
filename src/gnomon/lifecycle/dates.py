"""Dates as documents write them, to ISO; impossible and ambiguous ones are none."""

from __future__ import annotations

import datetime as dt
import re
from functools import cache

_MONTHS = (
    ("jan", "january", "januar", "janvier", "enero"),
    ("feb", "february", "februar", "février", "febrero"),
    ("mar", "march", "märz", "mars", "marzo"),
    ("apr", "april", "avril", "abril"),
    ("may", "mai", "mayo"),
    ("jun", "june", "juni", "juin", "junio"),
    ("jul", "july", "juli", "juillet", "julio"),
    ("aug", "august", "août", "agosto"),
    ("sep", "sept", "september", "septembre", "septiembre"),
    ("oct", "october", "oktober", "okt", "octobre", "octubre"),
    ("nov", "november", "novembre", "noviembre"),
    ("dec", "december", "dezember", "dez", "décembre", "diciembre"),
)
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)")
_GERMAN = re.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.(\d{4})(?!\d)")
_DAY_MONTH = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?[-\s]+([^\W\d]{3,10})\.?,?[-\s]+(\d{4})(?!\d)")
_MONTH_DAY = re.compile(r"([^\W\d]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")


@cache
def _month_numbers() -> dict[str, int]:
    return {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}


def iso_date(text: str) -> str:
    """The first date in a text as "2024-01-05", "" where there is none that exists.

    >>> iso_date("Created: 13-Jul-2001"), iso_date("5. März 2024"), iso_date("2024-02-30"), iso_date("12/02/26")
    ('2001-07-13', '2024-03-05', '', '')
    """
    text = text[:200]
    months = _month_numbers()
    if match := _YEAR_FIRST.search(text):
        year, month, day = (int(each) for each in match.groups())
    elif match := _GERMAN.search(text):
        day, month, year = (int(each) for each in match.groups())
    elif match := _DAY_MONTH.search(text):
        day, month, year = int(match[1]), months.get(match[2].casefold(), 0), int(match[3])
    elif match := _MONTH_DAY.search(text):
        month, day, year = months.get(match[1].casefold(), 0), int(match[2]), int(match[3])
    else:
        return ""
    try:
        return dt.date(year, month, day).isoformat()
    except ValueError:
        return ""


def looks_like_date(text: str) -> bool:
    """Whether a text was meant as a date, possible or not."""
    return any(each.search(text[:200]) for each in (_YEAR_FIRST, _GERMAN, _DAY_MONTH, _MONTH_DAY))
