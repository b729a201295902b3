"""What bash, zsh and fish are taught: a function that asks `riacho` what may stand at the cursor, for `riacho` itself,
`ksql` and every tool of Kafka.

The functions hand over the line up to the cursor as $COMP_LINE and $_RIACHO_COMPLETE=bash_complete, and are answered in
lines: `word<TAB>text<TAB>what it is`, `file` for a name of a file, which the shell knows best itself, and `nospace`
where more is to follow at once. Lines that were taught by click's own scripts have $COMP_WORDS, and click answers them.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from riacho.cli.shell.completion.offers import Answer
from riacho.cli.shell.completion.typed_line import CHARACTERS_MAX, TypedLine, typed_line

VARIABLE = "_RIACHO_COMPLETE"
LINE = "COMP_LINE"
SHELLS = ("bash", "zsh", "fish")
_KSQL = "ksql"
# A shell asks before it shows more than a hundred; thousands only make it slow.
_WORDS_MAX = 1_000
_BREAKS = re.compile(r"[=:]")

# Read by `< <(...)`, not by `for`: words may have blanks.
_BASH = """\
_riacho_completion() {
    local kind text about
    COMPREPLY=()
    while IFS=$'\\t' read -r kind text about; do
        case $kind in
            word) COMPREPLY+=("$text") ;;
            file) compopt -o default 2>/dev/null ;;
            nospace) compopt -o nospace 2>/dev/null ;;
        esac
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" _RIACHO_COMPLETE=bash_complete riacho 2>/dev/null)
}
complete -o nosort -F _riacho_completion PROGRAMS 2>/dev/null || complete -F _riacho_completion PROGRAMS
"""

_ZSH = """\
#compdef PROGRAMS
_riacho_completion() {
    local kind text about
    local -a texts shown after
    while IFS=$'\\t' read -r kind text about; do
        case $kind in
            word) texts+=("$text"); shown+=("$text${about:+  -- $about}") ;;
            file) _files; return ;;
            nospace) after=(-S '') ;;
        esac
    done < <(COMP_LINE="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" _RIACHO_COMPLETE=zsh_complete riacho 2>/dev/null)
    compadd "${after[@]}" -l -V riacho -d shown -a texts
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _riacho_completion "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _riacho_completion PROGRAMS
fi
"""

_FISH = """\
function _riacho_completion
    set -l line (commandline -cp)
    for answer in (env COMP_LINE="$line" _RIACHO_COMPLETE=fish_complete riacho 2>/dev/null)
        set -l parts (string split \\t -- $answer)
        switch $parts[1]
            case word
                printf '%s\\t%s\\n' $parts[2] "$parts[3]"
            case file
                __fish_complete_path (commandline -ct)
        end
    end
end
for program in PROGRAMS
    complete --no-files --command $program --arguments '(_riacho_completion)'
end
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def script(shell: str) -> str:
    """The lines for the shell's own start file."""
    return _SCRIPTS[shell].replace("PROGRAMS", " ".join(_programs()))


def answer(environment: Mapping[str, str] = os.environ) -> str | None:
    """The answer to a shell's function; None where it is none of these that asks."""
    shell, _, instruction = environment.get(VARIABLE, "").partition("_")
    line = environment.get(LINE)
    if instruction != "complete" or shell not in SHELLS or line is None:
        return None
    try:
        return "".join(f"{each}\n" for each in _answers(shell, line[-CHARACTERS_MAX:]))
    except Exception:
        # A traceback in the middle of a line that somebody types helps nobody.
        return ""


def _programs() -> list[str]:
    from riacho.cli.kafka.flags.tools import TOOLS

    return ["riacho", _KSQL, *(each for name in sorted(TOOLS) for each in (name, f"{name}.sh"))]


def _answers(shell: str, line: str) -> Iterator[str]:
    typed = typed_line(line)
    if not typed.words or typed.after not in ("", "|"):
        yield "file"
        return
    found = _complete(typed)
    if found.is_file:
        yield "file"
        return
    offers = found.matching()[:_WORDS_MAX]
    words = [found.head + offer.text for offer in offers]
    if words and all(word.endswith("=") for word in words):
        yield "nospace"
    for word, offer in zip(words, offers, strict=True):
        text = _for_bash(word, line, typed) if shell == "bash" else word
        if text is not None:
            yield f"word\t{text}\t{' '.join(offer.about.split())}"


def _complete(typed: TypedLine) -> Answer:
    from riacho.cli.kafka.flags.tools import TOOLS

    program, words = PurePosixPath(typed.words[0]).name, typed.words[1:]
    tool = TOOLS.get(program.removesuffix(".sh"))
    if tool is None:
        from riacho.cli.shell.completion.click_words import complete_riacho

        # `ksql` is `riacho ksql` by a name of its own.
        return complete_riacho([_KSQL, *words] if program == _KSQL else words, typed.word, None)
    from riacho.cli.kafka.flags.place import find_place
    from riacho.cli.shell.completion.asked_names import names_for_tool
    from riacho.cli.shell.completion.tool_words import complete_tool

    return complete_tool(tool, words, typed.word, names_for_tool(find_place(tool, words).given))


def _for_bash(word: str, line: str, typed: TypedLine) -> str | None:
    """As bash is to insert it, which takes it as it comes. It takes `=` and `:` for ends of words, and closes a quote
    that was begun; what would mean something within that is left out, as a name may be `$(...)`."""
    if typed.quote:
        return word if shlex.quote(word) == word else None
    raw = line[typed.start :]
    ends = [found.end() for found in _BREAKS.finditer(raw)] if raw == typed.word else []
    rest = word[ends[-1] :] if ends and word.startswith(raw[: ends[-1]]) else word
    return shlex.quote(rest) if rest else None
