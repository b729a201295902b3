"""What a page says that its commands print: a ```text block right behind a ```bash block, with nothing between them.

Each of its lines has to be a line of that block's standard output. `...` stands for anything, and it does not matter
how wide columns are. What differs from run to run in every line is shown as ```console, and not looked for.
"""

from __future__ import annotations

import re

_LINES = r"((?:(?!```).*\n)*)"
_SHOWN = re.compile(rf"^```bash\n{_LINES}```\n\n```text\n{_LINES}```$", re.MULTILINE)
_MARK = "--- "


def mark(name: str, line: int) -> str:
    """What is printed before the block whose first command is there."""
    return f"{_MARK}{name}:{line}"


def shown(text: str) -> list[tuple[int, str]]:
    """(line of the first command, what it is said to print) of each block that is followed by its output."""
    return [(text.count("\n", 0, found.start()) + 2, found[2]) for found in _SHOWN.finditer(text)]


def missing_output(name: str, text: str, out: str) -> list[str]:
    """The lines of a page that its commands did not print."""
    missing = []
    for line, said in shown(text):
        printed = [_narrow(each) for each in _printed(out, mark(name, line))]
        for wanted in filter(str.strip, said.splitlines()):
            pattern = re.compile(".*".join(map(re.escape, _narrow(wanted).split("..."))))
            if not any(map(pattern.fullmatch, printed)):
                missing.append(f"{name}:{line}: {wanted}")
    return missing


def _printed(out: str, beginning: str) -> list[str]:
    _, _, rest = out.partition(f"{beginning}\n")
    lines = rest.splitlines()
    end = next((at for at, each in enumerate(lines) if each.startswith(_MARK)), len(lines))
    return lines[:end]


def _narrow(line: str) -> str:
    return " ".join(line.split())
