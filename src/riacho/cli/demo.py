"""`riacho demo`: a broker, a small story, and the proof that it happened.

The steps stand in `demo_steps.STEPS`. Each one checks what it sees, so the exit code is 0 only when all of it is true.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import click

from riacho.base.errors import KafkaError
from riacho.cli.broker_process import BrokerProcess
from riacho.cli.data_dir import DataDir
from riacho.cli.demo_story import NotSo, Story
from riacho.cli.failures import PlainCommand, sentence
from riacho.cli.output import styled
from riacho.client.loopback import free_port


@click.command("demo", cls=PlainCommand)
@click.option("--keep", is_flag=True, help="Keep the data directory, to look at it afterwards.")
def command(keep: bool) -> None:
    """Start a broker on a free port, tell it a small story, show what it kept.

    \b
    riacho demo                              takes a few seconds, leaves nothing behind
    riacho demo --keep                       leaves the data directory, to look at it

    Every step checks what it sees; the exit code is 0 only if all of it was so.
    """
    from riacho.cli.demo_steps import STEPS

    started = time.monotonic()
    directory = DataDir(Path(tempfile.mkdtemp(prefix="riacho-demo-")))
    story = Story(BrokerProcess(directory, free_port(), is_isolated=True))
    try:
        for number, (title, step) in enumerate(STEPS, 1):
            click.echo(f"{styled(f'{number:2}', 'cyan')} {styled(title, 'bold')}")
            try:
                step(story)
            except NotSo as error:
                raise click.ClickException(f"Step {number} failed: {error}.") from None
            except KafkaError as error:
                raise click.ClickException(f"Step {number} failed: {sentence(error)}") from None
    finally:
        for member in story.members:
            member.close()
        story.broker.stop(timeout_s=5.0)
        if not keep:
            shutil.rmtree(directory.path, ignore_errors=True)
    click.echo(styled(f"All {len(STEPS)} steps were as promised, in {time.monotonic() - started:.1f} s.", "green"))
    if keep:
        click.echo(f"The data is in {directory.path}.")
