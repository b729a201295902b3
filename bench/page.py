"""Where results go: JSON and plots in `bench/results/` (not committed), and a page with its plots beside it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.console_plan import GROUP as CONSOLE
from bench.console_plan import METHOD as CONSOLE_METHOD
from bench.ksql_plan import GROUP as KSQL
from bench.ksql_plan import METHOD as KSQL_METHOD
from bench.peers import KAFKA, RIACHO
from bench.plan import GROUPS
from bench.plot import ratio_plot, throughput_plot
from bench.processes import machine
from bench.spark_plan import GROUP as SPARK
from bench.spark_plan import METHOD as SPARK_METHOD
from bench.spark_plan import OFFICIAL
from bench.summary import Samples, beside
from bench.table import FOOTNOTE, markdown_table

RESULTS = ROOT / "bench" / "results"

TITLES = {
    "produce": "Produce",
    "consume": "Consume",
    "rate": "Requests of a single message",
    "latency": "Latency",
    "transactions": "Transactions",
    "tls": "TLS",
    "start": "Cold start",
    "memory": "Memory",
    "restart": "Many partitions",
    "cluster": "Clusters of three",
    "spark": "Spark",
    "ksql": "KSQL",
    "console": "Control center",
}

_MADE_BY = """\
Made by `make bench` (`python -m bench --only {group} --write docs/bench-{group}.md`). Each cell is the median over the
rounds, with the lowest and the highest in brackets; the last column is the first over the second, and whether that is
better or worse.
"""
# Groups that have pages of their own, with their titles and methods.
_OWN_PAGES = {
    SPARK: (f"{RIACHO} beside {OFFICIAL}", SPARK_METHOD),
    KSQL: (f"{RIACHO}'s KSQL beside jobs by hand with {OFFICIAL}", KSQL_METHOD),
    CONSOLE: (f"{RIACHO}'s control center beside its goals", CONSOLE_METHOD),
}

METHOD = f"""\
Made by `make bench` (`python -m bench --but spark,ksql,console --write docs/bench.md`), which runs {RIACHO} and
{KAFKA} on loopback from the same `server.properties`, Apache Kafka with the heap and collector flags of its own start
script. Both are warmed up, then every load goes to one and right after to the other, in an order that alternates by
round; start, memory and restart are measured with one broker up at a time. Each cell is the median over the rounds,
with the lowest and the highest in brackets; the last column is {RIACHO} over {KAFKA}, and whether that is better or
worse.

- The load client is a process of its own and replays requests that were encoded before the clock started, the same
  bytes to both; rows named librdkafka go through confluent-kafka and include that client's costs.
- {RIACHO} runs as users install it where there is a C compiler: with its hot modules compiled.
- librdkafka reads a topic from start to end once, or over and over: then it seeks back to the start at each partition's
  end and throws away what it had fetched ahead.
- Throughput counts payload: record values before compression. Produce uses four connections with five requests in
  flight, each to its own partition, in 16 KiB batches unless the row says otherwise; consume uses four fetch loops over
  data in the page cache, 1 MiB a fetch.
- Processor time is what the kernel charges to the broker's process, user and system, for each GB of payload, or for
  each request that has a message of its own.
- Latency runs from the moment a message is due until a waiting consumer holds it.
- Cold start runs from spawning the process until a write to a new topic is acknowledged. Formatting Apache Kafka's
  storage beforehand is not counted.
- Restart runs from spawning the process on a cleanly stopped directory until Metadata names a leader for every
  partition.
- The broker whose turn it is not stays up: an idle Apache Kafka takes about 3% of a core from the other one.
- With one broker acks=all waits for nobody else, so it should cost what acks=1 costs.
- Clusters are three brokers that are controllers too, on the same machine, with default timeouts, replication factor 3
  and min ISR 2. The gap after a kill is the longest between two acknowledgements of one partition as an idempotent
  librdkafka producer with default settings sees it, over three partitions of which each broker leads one. Replicated
  writes go to six partitions, each over a connection to its leader, five requests in flight.
- A single machine shares its cores between broker and client. Trust ratios more than figures, and do not read anything
  into a ratio between 0.75 and 1.3.
"""


def save(samples: Samples, facts: dict[str, Any]) -> Path:
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    stored = {**facts, "samples": samples.as_json(), "failures": samples.failures, "busy": samples.client_busy}
    path.write_text(json.dumps(stored, indent=1))
    _plots(samples, RESULTS, path.stem)
    return path


def load(path: Path) -> tuple[Samples, dict[str, Any]]:
    stored = json.loads(path.read_text())
    return Samples.from_json(stored.pop("samples"), stored.pop("failures"), stored.pop("busy")), stored


def write_page(samples: Samples, facts: dict[str, Any], page: Path) -> None:
    """The page, with its plots next to it under the same stem."""
    plots = _plots(samples, page.parent, page.stem)
    lines = samples.lines()
    groups = {line.figure.group for line in lines}
    own = next(iter(groups)) if len(groups) == 1 else ""
    if own in _OWN_PAGES:
        sections = [f"# {_OWN_PAGES[own][0]}\n", _MADE_BY.format(group=own)]
    else:
        sections = [f"# {RIACHO} beside {KAFKA}\n", METHOD]
    sections.append(f"Machine: {facts['machine']}. Rounds: {facts['rounds']}. {facts['date']}.\n")
    if facts["contended"]:
        sections.append(f"**Not a fair run:** {facts['contended']}.\n")
    sections += [f"![{plot.stem}]({plot.name})\n" for plot in plots]
    for group in GROUPS:
        chosen = [line for line in lines if line.figure.group == group]
        if chosen:
            told = f"{_OWN_PAGES[group][1]}\n" if group in _OWN_PAGES else ""
            sections.append(f"## {TITLES[group]}\n\n{told}{markdown_table(chosen)}\n")
    for commit in samples.commits():
        sections.append(f"## {RIACHO} beside {commit}\n\n{markdown_table(samples.lines(commit))}\n")
    if any(line.client_bound for line in lines):
        sections.append(FOOTNOTE.replace("*", "\\*", 1) + "\n")
    if samples.failures:
        sections.append("## Failed\n\n" + "\n".join(f"- {failure}" for failure in samples.failures) + "\n")
    page.write_text("\n".join(sections))


def run_facts(rounds: int, contended: str | None) -> dict[str, Any]:
    return {"contended": contended, "machine": machine(), "rounds": rounds, "date": time.strftime("%Y-%m-%d")}


def _plots(samples: Samples, directory: Path, stem: str) -> list[Path]:
    lines = [line for line in samples.lines() if beside(line.figure.group) == KAFKA]
    plots = []
    if any(line.times_better is not None for line in lines):
        plots.append(directory / f"{stem}-ratios.svg")
        plots[-1].write_text(ratio_plot(lines))
    if any(line.figure.unit == "MB/s" for line in lines):
        plots.append(directory / f"{stem}-throughput.svg")
        plots[-1].write_text(throughput_plot(lines))
    return plots
