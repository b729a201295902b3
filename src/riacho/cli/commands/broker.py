"""`riacho broker server.properties`: one broker in the foreground, with Kafka's property names.

`KAFKA_*` environment variables count as properties, as in the container images; `--override` has the last word.
"""

from __future__ import annotations

from pathlib import Path

import click

from riacho.cli import sd_notify
from riacho.cli.argument_names import complete_broker_properties
from riacho.cli.failures import PlainCommand
from riacho.cli.pairs import parse_pairs


@click.command("broker", cls=PlainCommand)
@click.argument("properties", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option(
    "--override",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=complete_broker_properties,
    help="A property that beats the file's. May be repeated.",
)
@click.option(
    "--access-log", type=click.Path(path_type=Path), help="File for the access log (default: standard output)."
)
@click.option("--error-log", type=click.Path(path_type=Path), help="File for the error log (default: standard error).")
@click.option(
    "--audit-log", type=click.Path(path_type=Path), help="File for the audit log (default: the access log's)."
)
@click.option(
    "--agent-log", type=click.Path(path_type=Path), help="File for the agent log (default: the access log's)."
)
@click.option(
    "--referrer-log", type=click.Path(path_type=Path), help="File for the referrer log (default: the access log's)."
)
@click.option(
    "--log-level", default="INFO", type=click.Choice(["DEBUG", "INFO", "WARNING", "ERROR"]), help="How much is logged."
)
def command(
    properties: Path | None,
    override: tuple[str, ...],
    access_log: Path | None,
    error_log: Path | None,
    audit_log: Path | None,
    agent_log: Path | None,
    referrer_log: Path | None,
    log_level: str,
) -> None:
    """Run one broker in the foreground until SIGTERM or Ctrl-C.

    \b
    riacho broker server.properties
    riacho broker --override listeners=PLAINTEXT://127.0.0.1:9092

    PROPERTIES is a server.properties file with Kafka's names. With none, it is a broker on 127.0.0.1:9092. Variables
    named KAFKA_... count as properties, as in the container images.
    """
    from riacho.broker.config import load_config
    from riacho.broker.log_file import bounds_of
    from riacho.broker.logs import open_logs
    from riacho.broker.run import run_broker

    config, warnings = load_config(properties, parse_pairs(override, "--override"))
    logs = open_logs(
        config.node_id,
        access_path=access_log,
        error_path=error_log,
        audit_path=audit_log,
        agent_path=agent_log,
        referrer_path=referrer_log,
        level=log_level,
        **bounds_of(config),
    )
    for warning in warnings:
        logs.error.warning("%s", warning)
    run_broker(config, logs, on_ready=lambda node: sd_notify.ready())
