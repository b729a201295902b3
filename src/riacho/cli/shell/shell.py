"""What is done with a line: in which mode it is read, who runs it, on which cluster, and whether it is meant."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click

from riacho.cli.failures import did_you_mean, print_error
from riacho.cli.ksql.agreement import agrees
from riacho.cli.shell.builtins import BUILTINS
from riacho.cli.shell.clusters import Clusters, NoSuchCluster, ShellCluster
from riacho.cli.shell.confirmation import Ask, agreed_to, is_meant
from riacho.cli.shell.danger.danger import Danger
from riacho.cli.shell.danger.programs import danger_of
from riacho.cli.shell.danger.sql import danger_of_sql
from riacho.cli.shell.existing import what_is_there
from riacho.cli.shell.given_cluster import environment_of, with_cluster
from riacho.cli.shell.line import Line, LineError, parse_line
from riacho.cli.shell.process_state import kept_process_state
from riacho.cli.shell.programs import Program, find_program, program_names
from riacho.cli.shell.running import EXIT_FAILED, EXIT_INTERRUPTED, run_line, run_program, run_system, told_bug
from riacho.cli.shell.script import Script, begins_sql, is_sql
from riacho.cli.shell.settings_file import Settings, SettingsError, write_settings
from riacho.cli.shell.sql import Sql, SqlExit
from riacho.cli.shell.streams import standard_streams
from riacho.cli.shell.watch import WatchError, parse_watch, watch
from riacho.cli.unread_output import EXIT_BROKEN_PIPE

EXIT_USAGE = 2
# After these another cluster may be the one that commands find by themselves.
_STARTING_AND_STOPPING = (("up",), ("down",))


class Shell:
    """`ask` is None where nobody can be asked: then nothing is, as with the commands themselves. `usual` looks for the
    cluster that commands find by themselves."""

    def __init__(
        self,
        clusters: Clusters,
        settings: Settings,
        *,
        ask: Ask | None = None,
        usual: Callable[[], ShellCluster] | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.clusters = clusters
        self.settings = settings
        self.is_in_sql = False
        self.is_ended = False
        self._ask = ask
        self._usual = usual
        self._environment = dict(environment)
        self._sql = Sql()
        self._on_switch: list[Callable[[ShellCluster], None]] = []

    def run_text(self, text: str) -> int:
        """All lines of a text, whatever becomes of those before; what Ctrl-C ends is the last. The exit code is that of
        the last one that failed."""
        code = 0
        script = Script(text)
        while not self.is_ended and (part := script.next_part(is_in_sql=self.is_in_sql)) is not None:
            failed = self.run(part)
            if failed == EXIT_INTERRUPTED:
                return failed
            code = failed or code
        return code

    def run(self, text: str) -> int:
        """One line, or one statement of SQL; its exit code. Whatever goes wrong is told."""
        text = text.strip()
        code = 0
        with _told() as failed:
            if text and self.is_in_sql:
                code = self._run_sql(text)
            elif text and not text.startswith("#"):
                code = self._run(text)
        return failed.code or code

    def select(self, name: str) -> None:
        """NoSuchCluster."""
        self._switched(self.clusters.select(name))

    def select_next(self) -> None:
        self._switched(self.clusters.next())

    def on_switch(self, told: Callable[[ShellCluster], None]) -> None:
        self._on_switch.append(told)

    def toggle(self, name: str) -> None:
        self.settings = self.settings.with_toggles(**{name: not getattr(self.settings.toggles, name)})

    def save(self) -> None:
        """ClickException."""
        import yaml

        path = self.settings.path
        if self.settings.is_broken:
            raise click.ClickException(f"{path} could not be read, so nothing is written to it.")
        try:
            write_settings(self.settings, self.clusters.chosen.name)
        except OSError as error:
            raise click.ClickException(f"{path} cannot be written: {error.strerror or error}.") from None
        except (SettingsError, yaml.YAMLError) as error:
            raise click.ClickException(f"{path} is not changed: {error}.") from None

    def close(self) -> None:
        self._sql.close()

    def _switched(self, cluster: ShellCluster) -> None:
        for told in self._on_switch:
            told(cluster)

    def _run(self, text: str) -> int:
        if text.startswith("!"):
            return run_system(text[1:].strip(), self._surroundings())
        first, _, rest = text.partition(" ")
        if first == "watch":
            return self._watch(rest)
        if is_sql(text):
            return self._run_sql(text)
        if first == "sql":
            return self._sql_word(rest.strip())
        line = parse_line(text)
        if not line.words:
            raise LineError("There is no command in front of the redirection.")
        builtin = BUILTINS.get(line.words[0])
        if builtin is not None and builtin.run is not None:
            return self._run_here(lambda run=builtin.run: run(self, line.words[1:]), line)  # type: ignore[misc]
        program = self._program(text, line.words)
        danger = self._danger_of(program, line) if self._ask is not None else None
        if danger is not None:
            if not self._is_meant(danger):
                return EXIT_FAILED
            program = agreed_to(program, danger)
        return self._run_program(program, line)

    def _danger_of(self, program: Program, line: Line) -> Danger | None:
        given = with_cluster(program, self.clusters.chosen, self._environment)
        return danger_of(program, line.source.path if line.source is not None else None, what_is_there(*given))

    def _run_program(self, program: Program, line: Line) -> int:
        program, environment = with_cluster(program, self.clusters.chosen, self._environment)
        with self._asking_at_prompts():
            code = run_line(
                lambda source, output, errors: run_program(program, environment, source, output, errors),
                line,
                environment,
            )
        may_differ = program.words[:1] in _STARTING_AND_STOPPING
        if may_differ and self._usual is not None and self.clusters.renew(self._usual()):
            self._switched(self.clusters.chosen)
        return code

    def _run_here(self, run: Callable[[], int], line: Line) -> int:
        def body(source: int | None, output: int | None, errors: int | None) -> int:
            code = 0
            with (
                standard_streams(source, output, errors),
                kept_process_state(["riacho"], self._surroundings()),
                _told() as failed,
            ):
                code = run()
            return failed.code or code

        return run_line(body, line, self._surroundings())

    def _program(self, text: str, words: list[str]) -> Program:
        program = find_program(words)
        if program is not None:
            return program
        if begins_sql(text):
            raise click.UsageError("A statement of SQL ends with a semicolon.")
        known = [*program_names(), *BUILTINS]
        hint = did_you_mean(words[0], known)
        raise click.UsageError(f"There is no command '{words[0]}'{hint}")

    def _sql_word(self, rest: str) -> int:
        if rest:
            return self._run_sql(rest)
        self._ksql_url()
        self.is_in_sql = True
        return 0

    def _run_sql(self, text: str) -> int:
        danger = danger_of_sql(text) if self._ask is not None else None
        if danger is not None and not self._is_meant(danger):
            return EXIT_FAILED
        url = self._ksql_url()
        try:
            return self._run_here(lambda: self._sql.run(text, url), Line())
        except SqlExit:
            self.is_in_sql = False
            return 0

    def _ksql_url(self) -> str:
        cluster = self.clusters.chosen
        if cluster.addresses.ksql_url is None:
            where = "ksql.url in its profile" if cluster.profile else "ksql_server_url in the settings"
            raise click.ClickException(f"The cluster {cluster.name} names no KSQL server; {where} does.")
        return cluster.addresses.ksql_url

    def _watch(self, rest: str) -> int:
        if self._ask is None or not os.isatty(0) or not os.isatty(1):
            raise WatchError("watch needs a terminal.")
        seconds, text = parse_watch(rest)
        if begins_sql(text) and not is_sql(text) and find_program(text.split()[:1]) is None:
            # Its semicolon ended the line.
            text += ";"
        statement = is_sql(text)
        line = Line() if statement else parse_line(text)
        words = line.words
        if not statement and (not words or (words[0] in BUILTINS and words[0] != "cluster-describe")):
            raise WatchError(f"'{text}' is nothing to watch.")
        program = None if statement or words[0] in BUILTINS else self._program(text, words)
        if program is not None and program.is_apart:
            raise WatchError(f"{words[0]} goes on by itself: there is nothing to repeat.")
        if (danger_of(program) if program is not None else danger_of_sql(text)) is not None:
            raise WatchError("What destroys is not repeated by itself.")
        watch(text, seconds, lambda descriptor: self._run_captured(text, descriptor))
        return 0

    def _run_captured(self, text: str, descriptor: int) -> int:
        with open(os.devnull, "rb") as nothing, standard_streams(nothing.fileno(), descriptor, descriptor):
            code = self.run(text)
        if code == EXIT_INTERRUPTED:
            raise KeyboardInterrupt
        return code

    @contextmanager
    def _asking_at_prompts(self) -> Iterator[None]:
        """About statements, too, that are typed at the prompt which `ksql` opens."""

        def is_meant_there(text: str, server: str) -> bool:
            danger = danger_of_sql(text) if self._ask is not None else None
            return danger is None or self._is_meant(danger, server)

        token = agrees.set(is_meant_there)
        try:
            yield
        finally:
            agrees.reset(token)

    def _is_meant(self, danger: Danger, where: str | None = None) -> bool:
        assert self._ask is not None, "whoever calls has seen that there is somebody"
        return is_meant(danger, where or self.clusters.chosen.name, self._ask)

    def _surroundings(self) -> dict[str, str]:
        return environment_of(self.clusters.chosen, self._environment)


class _Failed:
    code = 0


@contextmanager
def _told() -> Iterator[_Failed]:
    """What keeps a line from being run, in a sentence."""
    failed = _Failed()
    try:
        yield failed
    except SqlExit:
        raise
    except KeyboardInterrupt:
        failed.code = EXIT_INTERRUPTED
    except BrokenPipeError:
        # `help | head -1`
        failed.code = EXIT_BROKEN_PIPE
    except click.UsageError as error:
        click.echo(f"Error: {error.format_message()}", err=True)
        failed.code = EXIT_USAGE
    except click.ClickException as error:
        failed.code = print_error(error)
    except (LineError, WatchError, NoSuchCluster) as error:
        click.echo(f"Error: {error}", err=True)
        failed.code = EXIT_USAGE
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        click.echo(f"Error: {error.strerror or error}{where}.", err=True)
        failed.code = EXIT_FAILED
    except Exception as error:
        # Ours: what was typed next is worth more than a traceback.
        click.echo(f"The shell could not do that: {told_bug(error)}", err=True)
        failed.code = EXIT_FAILED
