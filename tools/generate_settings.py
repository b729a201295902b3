"""Write `docs/operations/settings.md` from the definitions of the settings.

python tools/generate_settings.py            write
python tools/generate_settings.py --check    exit 1 if the page is not what the definitions give
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from riacho.base.config import Dynamic, ServerKey
from riacho.base.config_effect import READ_AT_START, NoEffect, Restricted
from riacho.metadata.settings.broker_configs import BROKER_KEYS, DYNAMIC_ONLY_KEYS
from riacho.metadata.settings.configs import CLIENT_METRICS_KEYS, GROUP_KEYS, TOPIC_KEYS

TARGET = Path(__file__).resolve().parent.parent / "docs" / "operations" / "settings.md"

_HEAD = """\
# Settings

Written by `tools/generate_settings.py` from the definitions: change those, not this page.

Names, types and defaults are Kafka 4.3's, and all of them are taken, so that files of Kafka work as they are.
Those that begin with `riacho.` and `cluster.id` are our own; so that a node with no settings at all works, five
have other defaults: `node.id`, `process.roles`, `listeners`, `controller.listener.names`, `log.dir`. Not all have
an effect:

- **No effect**: any value is taken and nothing reads it. One line at the start names those that you gave, when they
  are not the defaults, and so does one when they are set on a running cluster.
- **Refused**: the setting names code that would be loaded, or something else that somebody would count on. Other
  values than those here end the start with one sentence; on a running cluster they are answered with INVALID_CONFIG.

*Changes while it runs*: `cluster` for all brokers or for one, `broker` for one (`kafka-configs --entity-type
brokers`), `no` from the file alone. Settings of security may stand under `listener.name.<listener>.`, for one
listener. `super.users` and `allow.everyone.if.no.acl.found` are the authorizer's own
([Running a broker](../guides/broker.md)). What is for tests of Kafka alone is left out.
"""

_CHANGES = {Dynamic.READ_ONLY: "no", Dynamic.PER_BROKER: "broker", Dynamic.CLUSTER_WIDE: "cluster"}


def page() -> str:
    keys = [*BROKER_KEYS.values(), *TOPIC_KEYS.values(), *GROUP_KEYS.values(), *CLIENT_METRICS_KEYS.values()]
    without = sum(isinstance(key.effect, NoEffect) for key in keys if not key.internal)
    refused = sum(isinstance(key.effect, Restricted) for key in keys if not key.internal)
    listed = sum(not key.internal for key in keys)
    return "\n".join(
        (
            _HEAD,
            f"Of {listed} settings {without} have no effect, and {refused} take only the values named.",
            *_table("Brokers", {**BROKER_KEYS, **DYNAMIC_ONLY_KEYS}.values(), has_changes=True),
            *_table("Topics", TOPIC_KEYS.values()),
            *_table("Groups", GROUP_KEYS.values()),
            *_table("Client metrics", CLIENT_METRICS_KEYS.values()),
            "",
        )
    )


def _table(title: str, keys: Iterable[ServerKey], *, has_changes: bool = False) -> list[str]:
    """Settings of topics, groups and client metrics may change at any time."""
    names = ["setting", "default", *(["changes while it runs"] if has_changes else []), "what it does here"]
    rows = []
    for key in sorted(keys, key=lambda each: each.name):
        if not key.internal:
            changes = ["no" if key.effect is READ_AT_START else _CHANGES[key.dynamic]] if has_changes else []
            rows.append([f"`{key.name}`", _default(key), *changes, _meaning(key)])
    return ["", f"## {title}", "", _row(names), "|" + "---|" * len(names), *map(_row, rows)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _default(key: ServerKey) -> str:
    if key.default is None:
        return ""
    return f"`{key.default}`" if key.default else "empty"


def _meaning(key: ServerKey) -> str:
    match key.effect:
        case NoEffect(reason):
            return f"**No effect**: {reason}. In Kafka: {_lowered(key.doc)}"
        case Restricted(instead, allowed):
            # Of Kafka's classes the last part: the packages are long, and the same as in Kafka.
            taken = ", ".join(dict.fromkeys(f"`{value.rpartition('.')[2]}`" for value in allowed))
            return f"{key.doc} **Refused**{f' but for {taken}' if taken else ''}: {instead}."
    return key.doc


def _lowered(sentence: str) -> str:
    return sentence if sentence[1:2].isupper() or sentence[0] == "`" else sentence[0].lower() + sentence[1:]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page is not current")
    if parser.parse_args(arguments).check:
        return 0 if TARGET.read_text() == page() else 1
    TARGET.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
