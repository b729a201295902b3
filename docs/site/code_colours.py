"""Code in the control center's colours, for Pygments: those of `web-ui/src/tokens.css` named `--code-*`."""

from __future__ import annotations

import re
from pathlib import Path

from pygments.style import Style
from pygments.token import Comment, Error, Generic, Keyword, Name, Number, Operator, Punctuation, String, Token

TOKENS = Path(__file__).resolve().parents[2] / "web-ui" / "src" / "tokens.css"
_PAIR = re.compile(r"--([\w-]+): light-dark\((#\w+), (#\w+)\);")
PAIRS = {name: (light, dark) for name, light, dark in _PAIR.findall(TOKENS.read_text())}


def _styles(shade: int) -> dict[object, str]:
    colour = {name: pair[shade] for name, pair in PAIRS.items()}
    return {
        Token: colour["text"],
        Comment: f"italic {colour['text-soft']}",
        Keyword: colour["code-word"],
        Keyword.Constant: colour["code-number"],
        Operator: colour["text"],
        Operator.Word: colour["code-word"],
        Punctuation: colour["text-soft"],
        Name.Builtin: colour["code-name"],
        Name.Function: colour["code-name"],
        Name.Class: colour["code-name"],
        Name.Decorator: colour["code-name"],
        Name.Attribute: colour["code-name"],
        Name.Tag: colour["code-name"],
        Name.Variable: colour["code-name"],
        String: colour["code-text"],
        Number: colour["code-number"],
        Generic.Prompt: colour["text-soft"],
        # What a lexer does not know is no mistake of the page.
        Error: colour["text"],
    }


class Light(Style):
    background_color = PAIRS["ground"][0]
    styles = _styles(0)


class Dark(Style):
    background_color = PAIRS["ground"][1]
    styles = _styles(1)
