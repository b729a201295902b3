"""`riacho plan`: measure this cluster and plan for it."""

from __future__ import annotations

import secrets

import click

from riacho.cli.failures import PlainGroup
from riacho.cli.output import JSON, RAW, output_option, remark, show_json, styled
from riacho.cli.partition_plan import KEYS_MOVE, Measured, Plan, given, parse_rate, plan_partitions
from riacho.cli.progress import progress
from riacho.cli.target import Target, cluster_options

# As much as brokers take in one batch by default (message.max.bytes), less what stands around the value.
_RECORD_SIZE_BYTES_MAX = 1_000_000


@click.group("plan", cls=PlainGroup)
def command() -> None:
    """Measure this cluster and plan for it.

    \b
    riacho plan partitions --rate 50MB/s
    """


@command.command("partitions")
@click.option("--rate", required=True, metavar="T", help="The rate you want: 50MB/s, or 20000/s for records.")
@click.option(
    "--record-size",
    "record_size_bytes",
    type=click.IntRange(1, _RECORD_SIZE_BYTES_MAX),
    default=1000,
    metavar="N",
    help="Bytes in a record. Default 1000.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=3.0,
    metavar="S",
    help="How long to measure each way. Default 3.",
)
@click.option(
    "--consumer-rate",
    metavar="C",
    help="What one consumer of yours manages, its work included: 2000/s. Default: measured, one that does no work.",
)
@output_option
@cluster_options
def partitions(
    rate: str, record_size_bytes: int, seconds: float, consumer_rate: str | None, output: str, target: Target
) -> None:
    """How many partitions does a topic need for a rate?

    Measures what one producer gets into one partition of this cluster (p) and one consumer out of it (c), on a topic
    that is deleted afterwards, and answers max(t/p, t/c) rounded up for the rate t. The consumer that is measured does
    nothing with its records: if yours does, say what it manages with --consumer-rate.

    \b
    riacho plan partitions --rate 50MB/s
    riacho plan partitions --rate 20000/s --record-size 200
    riacho plan partitions --rate 20000/s --consumer-rate 2000/s
    riacho plan partitions --rate 1GB/s -o json | jq .partitions
    """
    from riacho.cli.measure import measure_consumer, measure_producer
    from riacho.client.topic_changes import create_topic, delete_topic

    try:
        wanted = parse_rate(rate)
        own = None if consumer_rate is None else given(parse_rate(consumer_rate), record_size_bytes)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None
    topic = f"riacho-plan-{secrets.token_hex(4)}"
    duration_ms = int(seconds * 1000)
    with target.open() as cluster:
        create_topic(cluster, topic, partitions=1)
        try:
            with progress("Producing (ms)", duration_ms, has_rate=False) as bar:
                producer = measure_producer(target, topic, record_size_bytes, seconds, bar.advance)
            if own is None:
                with progress("Consuming (ms)", duration_ms, has_rate=False) as bar:
                    consumer = measure_consumer(target, topic, seconds, bar.advance)
            else:
                consumer = own
        finally:
            delete_topic(cluster, topic)
    plan = plan_partitions(wanted, producer, consumer)
    if output == JSON:
        show_json(_as_json(plan, producer, consumer, record_size_bytes))
    elif output == RAW:
        click.echo(str(plan.partitions))
    else:
        _print_plan(plan, producer, consumer, record_size_bytes, target.bootstrap)
    remark(f"Mind: {KEYS_MOVE}")


def _as_json(plan: Plan, producer: Measured, consumer: Measured, record_size_bytes: int) -> dict[str, object]:
    unit = "bytes_per_second" if plan.wanted.is_bytes else "records_per_second"
    return {
        "partitions": plan.partitions,
        "wanted": {unit: plan.wanted.per_second},
        "record_size_bytes": record_size_bytes,
        "producer": producer.as_json(),
        "consumer": consumer.as_json(),
        "arithmetic": plan.arithmetic,
        "warning": KEYS_MOVE,
    }


def _print_plan(plan: Plan, producer: Measured, consumer: Measured, record_size_bytes: int, servers: str) -> None:
    click.echo(f"One partition of {servers}, records of {record_size_bytes} bytes, from this machine:")
    for letter, name, measured in (("p", "one producer writes", producer), ("c", "one consumer reads ", consumer)):
        rates = f"{measured.rate(True) / 1e6:>9,.1f} MB/s {measured.rate(False):>12,.0f} records/s"
        click.echo(f"  {letter}  {name}  {rates}")
    click.echo(f"  t  you want             {plan.wanted}")
    click.echo(plan.arithmetic)
    noun = "partition" if plan.partitions == 1 else "partitions"
    click.echo(f"{styled(f'{plan.partitions} {noun}', 'bold')}: {plan.reason}.")
