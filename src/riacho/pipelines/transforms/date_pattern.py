"""SimpleDateFormat's patterns as Spark expressions, in UTC and English, both ways.

Spark formats by DateTimeFormatter, which agrees with SimpleDateFormat on plain dates and times but not on milliseconds
(`S` is a number there, a fraction here), single letters or zones; and it parses strictly, where SimpleDateFormat takes
fewer digits, rolls over what is too large (month 13) and ignores what follows the date. So formatting is put together
from pieces and parsing is a regular expression and arithmetic.

Not supported, and refused as a config error: week years and weeks (`Y`, `w`, `W`). Where parsing differs: zones are an
offset, `Z`, `UTC` or `GMT`; names of days are read and ignored; years before the Gregorian calendar are Gregorian.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

_LETTERS = "GyYMLwWDdFEuaHkKhmsSzZX"
_UNSUPPORTED = "YwW"
_NUMERIC = "yDdFuHkKhmsS"
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_DAY = "sun(?:day)?|mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?"
_ZONE = r"(?:Z|UTC|GMT)?(?:[+-][0-9]{1,2}(?::?[0-9]{2})?)?"


# Beyond 80,000 years there is no date to be had: it keeps every sum below what Spark can hold.
_MONTHS_MAX = 1_000_000


class PatternError(ValueError):
    """What is wrong with a pattern."""


@dataclass(frozen=True, slots=True)
class Token:
    letter: str
    """Empty for text that stands for itself."""
    count: int
    text: str = ""

    @property
    def is_number(self) -> bool:
        return self.letter in _NUMERIC if self.letter not in ("M", "L") else self.count < 3


def tokens_of(pattern: str) -> list[Token]:
    """PatternError in Java's words where SimpleDateFormat would not take it."""
    return list(_tokens(pattern))


def _tokens(pattern: str) -> Iterator[Token]:
    for found in re.finditer(r"'((?:[^']|'')*)'|(')|([a-zA-Z])\3*|[^a-zA-Z']+", pattern):
        quoted, unpaired, letter = found.groups()
        if unpaired:
            raise PatternError("Unterminated quote")
        if quoted is not None:
            yield Token("", 0, quoted.replace("''", "'") or "'")
        elif not letter:
            yield Token("", 0, found.group())
        elif letter not in _LETTERS:
            raise PatternError(f"Illegal pattern character '{letter}'")
        elif letter in _UNSUPPORTED:
            raise PatternError(f"pattern character '{letter}' (weeks and week years) is not supported")
        else:
            yield Token(letter, len(found.group()))


def format_date(millis: Column, tokens: list[Token]) -> Column:
    """The text of a moment, given in milliseconds since 1970."""
    moment = F.timestamp_millis(millis)
    pieces: list[Column] = []
    pending = ""
    for token in _literals_joined(tokens):
        known = _quoted(token.text) if not token.letter else _for_spark(token)
        if known is not None:
            pending += known
            continue
        if pending:
            pieces.append(F.date_format(moment, pending))
            pending = ""
        pieces.append(_padded(_number(token.letter, moment, millis), token.count))
    if pending or not pieces:
        pieces.append(F.date_format(moment, pending) if pending else F.lit(""))
    return pieces[0] if len(pieces) == 1 else F.concat(*pieces)


def _literals_joined(tokens: list[Token]) -> list[Token]:
    """Zones as the text that they are in UTC, and text that touches as one: two quoted pieces would make a quote."""
    joined: list[Token] = []
    for token in tokens:
        zone = _zone(token)
        text = token.text if zone is None else zone
        is_text = zone is not None or not token.letter
        if is_text and joined and not joined[-1].letter:
            joined[-1] = Token("", 0, joined[-1].text + text)
        else:
            joined.append(Token("", 0, text) if is_text else token)
    return joined


def _zone(token: Token) -> str | None:
    if token.letter == "z":
        return "UTC" if token.count < 4 else "Coordinated Universal Time"
    return {"Z": "+0000", "X": "Z"}.get(token.letter)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _for_spark(token: Token) -> str | None:
    """The same in the pattern language of `date_format`, where it has it."""
    match token.letter:
        case "y":
            return "yy" if token.count == 2 else "y" * max(4, min(token.count, 6))
        case "M" | "L":
            return "M" * min(token.count, 4)
        case "d" | "H" | "m" | "s" if token.count <= 2:
            return token.letter * token.count
        case "E":
            return "EEE" if token.count < 4 else "EEEE"
        case "a" | "G":
            return token.letter
        case _:
            return None


def _number(letter: str, moment: Column, millis: Column) -> Column:
    hour = F.hour(moment)
    match letter:
        case "S":
            return F.pmod(millis, F.lit(1000))
        case "D":
            return F.dayofyear(moment)
        case "d":
            return F.dayofmonth(moment)
        case "F":
            return F.floor((F.dayofmonth(moment) - 1) / 7) + 1
        case "u":
            return F.weekday(moment) + 1
        case "k":
            return F.when(hour == 0, F.lit(24)).otherwise(hour)
        case "K":
            return hour % 12
        case "h":
            return (hour + 11) % 12 + 1
        case "H":
            return hour
        case "m":
            return F.minute(moment)
        case _:
            return F.second(moment)


def _padded(number: Column, width: int) -> Column:
    text = number.cast("string")
    return F.when(F.length(text) >= width, text).otherwise(F.lpad(text, width, "0"))


def parse_date(text: Column, tokens: list[Token]) -> Column:
    """Milliseconds since 1970, null for text that is none of the pattern's."""
    pattern, groups = _regex(tokens)
    fields = _Fields(text, pattern, groups)
    seconds = (_hour(fields) * 60 + fields.number("m", 0)) * 60 + fields.number("s", 0)
    day = fields.number("D" if fields.text_of("D") is not None and fields.text_of("d") is None else "d", 1)
    days = _days(_year(fields), _month(fields)) + day - 1
    moment = days * 86_400_000 + seconds * 1000 + fields.number("S", 0)
    zone = fields.text_of("z", "Z", "X")
    return F.when(text.rlike(pattern), moment if zone is None else moment - _offset(zone))


@dataclass(frozen=True)
class _Fields:
    """What a text says, field by field."""

    text: Column
    pattern: str
    groups: list[Token]

    def text_of(self, *letters: str) -> Column | None:
        """What the last of these fields holds, or None where the pattern has none of them."""
        found = [index for index, token in enumerate(self.groups, start=1) if token.letter in letters]
        return F.regexp_extract(self.text, self.pattern, found[-1]) if found else None

    def number(self, letter: str, default: int) -> Column:
        found = self.text_of(letter)
        return F.lit(default).cast("bigint") if found is None else found.try_cast("bigint")

    def token(self, *letters: str) -> Token:
        return [token for token in self.groups if token.letter in letters][-1]


def _regex(tokens: list[Token]) -> tuple[str, list[Token]]:
    """The pattern as a Java regular expression from the text's beginning, and the token of each of its groups."""
    pattern = r"(?i)\A"
    groups = []
    for index, token in enumerate(tokens):
        if not token.letter:
            pattern += r"\Q" + token.text.replace(r"\E", r"\E\\E\Q") + r"\E"
            continue
        groups.append(token)
        if token.is_number:
            # Numbers that touch are as wide as the pattern says.
            touching = index + 1 < len(tokens) and tokens[index + 1].letter and tokens[index + 1].is_number
            after = index > 0 and tokens[index - 1].letter and tokens[index - 1].is_number
            blank = "" if after else r"[ \t]*"
            pattern += f"{blank}([0-9]{{{token.count}}})" if touching else f"{blank}(-?[0-9]{{1,6}})"
        else:
            words = {"M": _MONTH, "L": _MONTH, "E": _DAY, "a": "am|pm", "G": "ad|bc"}.get(token.letter, _ZONE)
            pattern += rf"[ \t]*({words})"
    return pattern, groups


def _hour(fields: _Fields) -> Column:
    for letter, wraps_at in (("H", None), ("k", 24), ("h", 12), ("K", None)):
        if fields.text_of(letter) is None:
            continue
        hour = fields.number(letter, 0)
        if wraps_at is not None:
            hour = F.when(hour == F.lit(wraps_at), F.lit(0).cast("bigint")).otherwise(hour)
        half = fields.text_of("a")
        if letter in "hK" and half is not None:
            hour = hour + F.when(F.lower(half) == F.lit("pm"), F.lit(12)).otherwise(F.lit(0))
        return hour
    return F.lit(0).cast("bigint")


def _year(fields: _Fields) -> Column:
    found = fields.text_of("y")
    if found is None:
        return F.lit(1970).cast("bigint")
    year = found.try_cast("bigint")
    if fields.token("y").count > 2:
        return year
    # Two digits mean a year from 80 before now to 20 after.
    first = F.year(F.current_date()) - 80
    near = first - first % 100 + year + F.when(year < first % 100, F.lit(100)).otherwise(F.lit(0))
    return F.when(F.length(found) == 2, near.cast("bigint")).otherwise(year)


def _month(fields: _Fields) -> Column:
    found = fields.text_of("M", "L")
    if found is None:
        return F.lit(1).cast("bigint")
    if fields.token("M", "L").is_number:
        return found.try_cast("bigint")
    return F.array_position(F.array(*(F.lit(name) for name in MONTHS)), F.lower(F.substring(found, 1, 3)))


def _days(year: Column, month: Column) -> Column:
    """Days from 1970 to the first of a month, which may lie outside 1 to 12; null far outside of history."""
    months = (year - 1970) * 12 + month - 1
    bounded = F.when(months.between(-_MONTHS_MAX, _MONTHS_MAX), months.try_cast("int"))
    return F.unix_date(F.add_months(F.date_from_unix_date(F.lit(0)), bounded)).cast("bigint")


def _offset(zone: Column) -> Column:
    """Milliseconds that a zone's clock is ahead of UTC's."""
    hours = F.regexp_extract(zone, r"[+-]([0-9]{1,2})", 1).try_cast("bigint")
    minutes = F.regexp_extract(zone, r"[+-][0-9]{1,2}:?([0-9]{2})", 1).try_cast("bigint")
    size = (F.coalesce(hours, F.lit(0)) * 60 + F.coalesce(minutes, F.lit(0))) * 60_000
    return F.when(zone.contains("-"), -size).otherwise(size).cast("bigint")
