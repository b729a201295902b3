"""Runs one program to its end and tells its exit code: here, or in a process of its own. None ends the shell."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import click

from riacho.cli.shell.line import File, Line
from riacho.cli.shell.process_state import kept_process_state
from riacho.cli.shell.programs import Program
from riacho.cli.shell.streams import standard_streams
from riacho.cli.shell.terminal_settings import kept_terminal_settings
from riacho.cli.unread_output import EXIT_BROKEN_PIPE

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
_SHELL = "/bin/sh"
# Runs a command with these descriptors for its input, output and errors, None for ours; its exit code.
Body = Callable[[int | None, int | None, int | None], int]


def run_line(body: Body, line: Line, environment: Mapping[str, str]) -> int:
    """With the line's redirections, into a pipeline of the system's programs where there is one.

    The exit code is the pipeline's; where that is 0, the command's, unless its reader left it early.
    """
    with ExitStack() as stack:
        stack.enter_context(kept_terminal_settings())
        source = _opened(stack, line.source, os.O_RDONLY)
        output = _opened(stack, line.output, os.O_WRONLY)
        errors = _opened(stack, line.errors, os.O_WRONLY)
        if line.rest is None:
            return body(source, output, output if line.are_errors_joined else errors)
        reading, writing = os.pipe()
        with _closing(writing):
            with _closing(reading), _interrupts_passed_by():
                reader = subprocess.Popen([_SHELL, "-c", line.rest], stdin=reading, env=dict(environment))
                stack.callback(wait_for, reader)
            written = output if output is not None else writing
            code = body(source, written, written if line.are_errors_joined else errors)
        last = wait_for(reader)
        return last or (0 if code == EXIT_BROKEN_PIPE else code)


def run_program(
    program: Program,
    environment: Mapping[str, str],
    source: int | None = None,
    output: int | None = None,
    errors: int | None = None,
) -> int:
    with standard_streams(source, output, errors):
        if program.is_apart:
            return run_apart(program.command_line(), environment)
        try:
            with kept_process_state([program.name, *program.words], environment):
                return exit_code_of(program)
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED


def exit_code_of(program: Program) -> int:
    """Whatever a program ends with, as the number that a process of its own would have ended with."""
    try:
        program.main()
    except SystemExit as stop:
        return _code(stop.code)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return EXIT_BROKEN_PIPE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        return EXIT_INTERRUPTED
    except BaseException as error:
        click.echo(f"{program.name} ended by an error of its own: {told_bug(error)}", err=True)
        return EXIT_FAILED
    return 0


def run_apart(words: list[str], environment: Mapping[str, str]) -> int:
    """A process of its own, on our terminal and in our process group: Ctrl-C reaches it by itself."""
    try:
        # From before it begins: a Ctrl-C at that moment is the process's, too, and its end is waited for.
        with _interrupts_passed_by():
            return wait_for(subprocess.Popen(words, env=dict(environment)))
    except OSError as error:
        click.echo(f"{words[0]} cannot be run: {error.strerror or error}.", err=True)
        return EXIT_FAILED


def run_system(text: str, environment: Mapping[str, str]) -> int:
    """`!command`: for the user's own /bin/sh, with all that a shell does."""
    with kept_terminal_settings():
        return run_apart([_SHELL, "-c", text], environment)


def wait_for(process: subprocess.Popen[bytes]) -> int:
    with _interrupts_passed_by():
        code = process.wait()
    return 128 - code if code < 0 else code


@contextmanager
def _interrupts_passed_by() -> Iterator[None]:
    # A handler and not SIG_IGN, which the process would inherit.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _closing(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)


def _opened(stack: ExitStack, file: File | None, way: int) -> int | None:
    """OSError where it cannot be."""
    if file is None:
        return None
    if way == os.O_WRONLY:
        way |= os.O_CREAT | (os.O_APPEND if file.is_appended else os.O_TRUNC)
    descriptor = os.open(os.path.expanduser(file.path), way, 0o666)
    stack.callback(os.close, descriptor)
    return descriptor


def _code(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    click.echo(str(code), err=True)
    return EXIT_FAILED


def told_bug(error: BaseException) -> str:
    """One sentence with the place, for whoever reports it."""
    places = traceback.extract_tb(sys.exc_info()[2])
    where = f" ({os.path.basename(places[-1].filename)}, line {places[-1].lineno})" if places else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{f': {text}' if text else ''}{where}."
