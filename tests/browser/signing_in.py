"""A console at which one logs in, as whoever may see, operate or do everything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page

from support.browser_platform import BrowserPlatform
from support.connect_worker import ConnectWorker, running_connect, topics_named
from support.ksql_server import KsqlServer, running_ksql
from support.service_process import running_service
from support.webhook_receiver import Receiver

ROLES = {"vera": "viewer", "opal": "operator", "ann": "admin"}
# The cluster `played` has the same brokers, and a KSQL and a Connect whose runners are played: they need no Spark.
PLAYED = "/clusters/played"
# Its field `card` is hidden from viewers. As the names of the played services, it stands late in a list of which the
# walk takes the first row.
MASKED = "secrets"


class GuardedConsole(NamedTuple):
    url: str
    ksql: KsqlServer
    connect: ConnectWorker
    receiver: Receiver


@contextmanager
def guarded_console(platform: BrowserPlatform, directory: Path) -> Iterator[GuardedConsole]:
    users = directory / "users.properties"
    users.write_text("".join(f"{name}: {name}-secret,{role}\n" for name, role in ROLES.items()))
    platform.create_topic(MASKED)
    with ExitStack() as running:
        receiver = Receiver()
        running.callback(receiver.close)
        ksql = running.enter_context(running_ksql(platform.bootstrap, directory / "ksql", _ksql_settings()))
        connect = running.enter_context(
            running_connect(platform.bootstrap, directory / "connect", topics_named("zz_played"))
        )
        settings = {
            "clusters": "default,played",
            "cluster.default.bootstrap.servers": platform.bootstrap,
            "cluster.default.ksql.url": platform.ksql_url,
            "cluster.played.bootstrap.servers": platform.bootstrap,
            "cluster.played.ksql.url": ksql.url,
            "cluster.played.connect.url": connect.url,
            "authentication.method": "BASIC",
            "authentication.user.file": str(users),
            "masking.rules": "cards",
            "masking.cards.topics": MASKED,
            "masking.cards.field": "$.card",
            # Whoever is hidden a field runs no SQL, which would show it.
            "masking.cards.except": "operator,admin",
            "riacho.console.webhooks": "ops",
            "riacho.console.webhook.ops.url": receiver.url,
            "riacho.console.webhook.ops.secret": "signs",
            "riacho.console.dir": str(directory / "console"),
        }
        console = running.enter_context(running_service("control-center", platform.bootstrap, directory, settings))
        yield GuardedConsole(console.url, ksql, connect, receiver)


def _ksql_settings() -> dict[str, str]:
    return {
        "ksql.service.id": "zz_played_",
        "ksql.logging.processing.topic.auto.create": "false",
        "spark.ui.enabled": "true",
    }


def sign_in(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(f"{name}-secret")
    page.get_by_role("button", name="Sign in").click()
