"""Whether a parser would take a token where it stands: its stack is walked, and left as it is.

The set of a state alone is too large: LALR joins the states of `a` in SELECT a, in CASE a, in DESCRIBE a, so each of
them seems to take what may follow any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lark import Token
from lark.parsers.lalr_analysis import Shift
from lark.parsers.lalr_parser_state import ParseConf

END = "$END"


def takes(conf: ParseConf[Any], stack: Sequence[Any], terminal: str) -> bool:
    """Whether `terminal` may come next: after the reductions that it brings about, there is a place for it."""
    states = conf.states
    depth = len(stack)
    above: list[Any] = []
    while True:
        found = states[above[-1] if above else stack[depth - 1]].get(terminal)
        if found is None:
            return False
        action, rule = found
        if action is Shift:
            return True
        size = len(rule.expansion)
        kept = max(len(above) - size, 0)
        depth -= size - (len(above) - kept)
        del above[kept:]
        _, reached = states[above[-1] if above else stack[depth - 1]][rule.origin.name]
        if terminal == END and reached == conf.end_state:
            return True
        above.append(reached)


def taken(conf: ParseConf[Any], stack: Sequence[Any]) -> list[str]:
    """The terminals that may come next."""
    symbols = conf.states[stack[-1]]
    return [each for each in symbols if (each == END or each.isupper()) and takes(conf, stack, each)]


def stack_before(conf: ParseConf[Any], tokens: Sequence[Token]) -> list[Any]:
    """The stack after these tokens. What a parser leaves has lost what its last token, the wrong one, reduced."""
    states = conf.states
    stack = [conf.start_state]
    for token in tokens:
        while True:
            action, rule = states[stack[-1]][token.type]
            if action is Shift:
                stack.append(rule)
                break
            if rule.expansion:
                del stack[-len(rule.expansion) :]
            stack.append(states[stack[-1]][rule.origin.name][1])
    return stack
