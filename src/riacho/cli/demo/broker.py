"""The demo's small script: one broker on a free port. The steps stand in `demo_steps.STEPS`."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import click

from riacho.base.errors import KafkaError
from riacho.cli.data_dir import DataDir
from riacho.cli.demo import steps as demo_steps
from riacho.cli.demo.demo_context import DemoContext, DemoError
from riacho.cli.failures import sentence
from riacho.cli.output import styled
from riacho.cli.supervisor.broker_process import BrokerProcess
from riacho.client.loopback import free_port


class _Broker(BrokerProcess):
    ends_with_parent = True


def run_broker_demo(*, keep: bool) -> None:
    started = time.monotonic()
    directory = DataDir(Path(tempfile.mkdtemp(prefix="riacho-demo-")))
    demo = DemoContext(_Broker(directory, free_port(), is_isolated=True))
    try:
        for number, (title, step) in enumerate(demo_steps.STEPS, 1):
            click.echo(f"{styled(f'{number:2}', 'cyan')} {styled(title, 'bold')}")
            try:
                step(demo)
            except DemoError as error:
                raise click.ClickException(f"Step {number} failed: {error}.") from None
            except KafkaError as error:
                raise click.ClickException(f"Step {number} failed: {sentence(error)}") from None
    finally:
        for member in demo.members:
            member.close()
        demo.broker.stop(timeout_s=5.0)
        if not keep:
            shutil.rmtree(directory.path, ignore_errors=True)
    click.echo(
        styled(f"All {len(demo_steps.STEPS)} steps were as promised, in {time.monotonic() - started:.1f} s.", "green")
    )
    if keep:
        click.echo(f"The data is in {directory.path}.")
