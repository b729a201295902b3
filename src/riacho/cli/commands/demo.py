"""`riacho demo`: the whole platform at work, and the proof that what it promises happened.

Two stories: the bank (`demo/bank.py`: three brokers, registry, REST proxy, Connect, KSQL and Spark), and the smaller
one of a single broker (`demo/broker.py`) for where Spark or Java is not installed. Each checks what it sees, so the
exit code is 0 only when all of it is true.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec

import click

from riacho.base.packages import how_to_install
from riacho.cli.failures import PlainCommand
from riacho.cli.output import remark
from riacho.cli.supervisor.services import can_run_services


@click.command("demo", cls=PlainCommand)
@click.option("--keep", is_flag=True, help="Keep the data directory, to look at it afterwards.")
@click.option("--broker", "only_broker", is_flag=True, help="The small story: one broker, a few seconds, no Spark.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    envvar="DEMO_SECONDS",
    metavar="S",
    help="How long to stay up after the tour. Default $DEMO_SECONDS, or until Ctrl-C.",
)
def command(keep: bool, only_broker: bool, seconds: float | None) -> None:
    """Show the whole platform at work, with real figures, and stay up to be looked at.

    \b
    riacho demo                              a bank on three brokers, until Ctrl-C
    riacho demo --seconds 60                 ends by itself after a minute
    riacho demo --broker                     one broker, no Spark, a few seconds

    Transfers and reversals go through the REST proxy into a topic; Connect archives them as Parquet and puts aside what
    cannot be read; a Spark program keeps totals in another topic, and a statement of KSQL the balance of every account.
    At the end everything is counted. The exit code is 0 only if nothing was lost and nothing was there twice.
    """
    missing = _missing()
    if missing and not only_broker:
        remark(f"The whole story needs {missing}; here is the one of a single broker.")
    if missing or only_broker:
        from riacho.cli.demo.broker import run_broker_demo

        run_broker_demo(keep=keep)
    else:
        from riacho.cli.demo.bank import run_bank_demo

        run_bank_demo(keep=keep, seconds=seconds)


def _missing() -> str | None:
    if not can_run_services():
        return f"more packages ({how_to_install('all')})"
    if find_spec("pyspark") is None:
        return f"PySpark ({how_to_install('spark')})"
    if shutil.which("java") is None:
        return "Java 17 or later"
    return None
