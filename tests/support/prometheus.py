"""A strict reader of Prometheus' text format: what it takes, Prometheus takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.request import urlopen

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (\S+)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
_KINDS = ("counter", "gauge", "histogram", "summary", "untyped")
_ENDINGS = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}

Labels = frozenset[tuple[str, str]]


class Metrics:
    """Samples by name and labels. AssertionError for a text that breaks a rule of the format."""

    def __init__(self, text: str) -> None:
        assert text.endswith("\n"), "the last line ends too"
        self.kinds: dict[str, str] = {}
        self._samples: dict[str, dict[Labels, float]] = {}
        helped: set[str] = set()
        current = ""
        for line in text[:-1].split("\n"):
            if line.startswith("# HELP "):
                current = line.split(" ", 3)[2]
                assert current not in helped, f"{current} is told of in two places"
                assert len(line.split(" ", 3)) == 4, f"{current} is not explained"
                helped.add(current)
            elif line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                assert name == current, f"the type of {name} stands under {current}"
                assert kind in _KINDS, line
                assert kind != "counter" or name.endswith("_total"), f"{name} is a counter"
                self.kinds[name] = kind
            else:
                self._add(line, current)

    def _add(self, line: str, current: str) -> None:
        found = _SAMPLE.fullmatch(line)
        assert found is not None, line
        name, inside, value = found.groups()
        endings = _ENDINGS.get(self.kinds[current], ("",))
        assert name in {current + ending for ending in endings}, f"{name} stands under {current}"
        labels = _labels(inside or "")
        samples = self._samples.setdefault(name, {})
        assert labels not in samples, f"twice: {line}"
        samples[labels] = float(value)

    def find(self, name: str, labels: Mapping[str, object] | None = None) -> float | None:
        """The sample with exactly these labels."""
        wanted = frozenset((key, str(value)) for key, value in (labels or {}).items())
        return self._samples.get(name, {}).get(wanted)

    def all(self, name: str) -> dict[Labels, float]:
        return self._samples.get(name, {})

    def names(self) -> set[str]:
        return set(self._samples)

    def told(self) -> set[str]:
        """Names that samples have or, where there is nothing to count yet, would have."""
        return {name + ending for name, kind in self.kinds.items() for ending in _ENDINGS.get(kind, ("",))}


def _labels(inside: str) -> Labels:
    found, at = [], 0
    while at < len(inside):
        label = _LABEL.match(inside, at)
        assert label is not None, inside
        found.append((label[1], re.sub(r'\\(["\\n])', lambda each: "\n" if each[1] == "n" else each[1], label[2])))
        at = label.end()
    assert len({name for name, _ in found}) == len(found), inside
    return frozenset(found)


def scrape(url: str) -> Metrics:
    with urlopen(url, timeout=30) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return Metrics(answer.read().decode())
