"""English names of months, days, quarters, halves of a day and eras, as Java prints and reads them."""

from __future__ import annotations

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_QUARTERS = ("1st quarter", "2nd quarter", "3rd quarter", "4th quarter")

# Letter -> style -> name of each value; the first value is in FIRST.
_DAY_NAMES = {"short": tuple(day[:3] for day in DAYS), "full": DAYS, "narrow": tuple(day[0] for day in DAYS)}
_MONTH_NAMES = {
    "short": tuple(month[:3] for month in MONTHS),
    "full": MONTHS,
    "narrow": tuple(month[0] for month in MONTHS),
}
_QUARTER_NAMES: dict[str, tuple[str, ...]] = {
    "short": ("Q1", "Q2", "Q3", "Q4"),
    "full": _QUARTERS,
    "narrow": ("1", "2", "3", "4"),
}
NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "M": _MONTH_NAMES,
    "L": _MONTH_NAMES,
    "E": _DAY_NAMES,
    "e": _DAY_NAMES,
    "c": _DAY_NAMES,
    "Q": _QUARTER_NAMES,
    "q": _QUARTER_NAMES,
    "a": {"short": ("AM", "PM")},
    "G": {"short": ("BC", "AD"), "full": ("Before Christ", "Anno Domini"), "narrow": ("B", "A")},
}
FIRST = {"a": 0, "G": 0}


def name_of(letter: str, style: str, value: int) -> str:
    return NAMES[letter][style][value - FIRST.get(letter, 1)]
