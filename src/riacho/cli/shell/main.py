"""From the options of `riacho shell` to a session: on a terminal, or over the lines of -c, a file or a pipe."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from riacho.base.errors import KafkaError
from riacho.cli.failures import sentence
from riacho.cli.output import is_terminal
from riacho.cli.shell.clusters import Clusters, NoSuchCluster, ShellCluster, named_cluster, profile_cluster
from riacho.cli.shell.clusters import usual_cluster as find_usual_cluster
from riacho.cli.shell.settings_file import Settings, read_settings_file, usual_path
from riacho.cli.shell.shell import Shell

_SCRIPT_BYTES_MAX = 16 * 1024 * 1024


def run_shell(
    *,
    bootstrap: str | None,
    command_config: Path | None,
    profile: str | None,
    cluster: str | None,
    settings_path: Path | None,
    text: str | None,
) -> int:
    """The exit code: of a terminal's session 0, else that of the last line that failed."""
    settings = read_settings_file(settings_path or usual_path())
    if settings_path is not None and not settings_path.exists():
        click.echo(f"There is no file {settings_path} yet; `save` begins it.", err=True)
    for remark in settings.remarks:
        click.echo(remark, err=True)
    try:
        clusters = _clusters(settings, bootstrap, command_config, profile, cluster)
    except NoSuchCluster as error:
        raise click.UsageError(str(error)) from None
    if text is None and is_terminal(sys.stdin) and is_terminal(sys.stdout):
        return _run_prompt(clusters, settings)
    return run_script(Shell(clusters, settings, usual=find_usual_cluster), text if text is not None else _read_all())


def run_script(shell: Shell, text: str) -> int:
    try:
        return shell.run_text(text)
    finally:
        shell.close()


def _run_prompt(clusters: Clusters, settings: Settings) -> int:
    from riacho.cli.shell.prompt import open_prompt

    if settings.ignored:
        click.echo(f"Of {settings.path} these have no effect here: {', '.join(settings.ignored)}.", err=True)
    shell = Shell(clusters, settings, ask=lambda question: prompt.ask(question), usual=find_usual_cluster)
    prompt, names = open_prompt(shell)
    try:
        prompt.run()
        if settings.toggles.save_on_exit and not settings.is_broken:
            shell.save()
    finally:
        names.close()
        shell.close()
    return 0


def _clusters(
    settings: Settings, bootstrap: str | None, config: Path | None, profile: str | None, name: str | None
) -> Clusters:
    from riacho.cli.profiles import profile_names

    named: list[ShellCluster] = []
    if profile is not None:
        named.append(profile_cluster(profile))
    elif bootstrap is not None or config is not None:
        named.append(named_cluster(bootstrap, config))
    kept = [found for each in profile_names() if (found := _kept(each)) is not None]
    clusters = Clusters([*named, *settings.clusters, *kept, find_usual_cluster()])
    if named:
        clusters.select(named[0].name)
    elif name is not None:
        clusters.select(name)
    elif settings.cluster in clusters.names:
        clusters.select(settings.cluster)
    else:
        clusters.select(clusters.names[-1])
    return clusters


def _kept(profile: str) -> ShellCluster | None:
    """None where it cannot be used, which is told: the other clusters can."""
    try:
        return profile_cluster(profile)
    except KafkaError as error:
        reason = sentence(error)
    except click.ClickException as error:
        reason = error.format_message()
    except OSError as error:
        reason = error.strerror or str(error)
    except ValueError:
        reason = "it is no text"
    click.echo(f"The profile {profile} cannot be used: {reason.rstrip('.')}.", err=True)
    return None


def _read_all() -> str:
    data = sys.stdin.buffer.read(_SCRIPT_BYTES_MAX + 1)
    if len(data) > _SCRIPT_BYTES_MAX:
        raise click.ClickException(f"More than {_SCRIPT_BYTES_MAX} bytes are no script.")
    return data.decode("utf-8", errors="surrogateescape")
