"""A console at which one logs in, as whoever may see, operate or do everything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page

from support.browser_platform import BrowserPlatform
from support.ksql_server import KsqlServer, running_ksql
from support.service_process import ServiceProcess

ROLES = {"vera": "viewer", "opal": "operator", "ann": "admin"}
# The cluster `played` has the same brokers, and a KSQL whose runner is played: queries run without Spark.
PLAYED = "/clusters/played"


class GuardedConsole(NamedTuple):
    url: str
    ksql: KsqlServer


@contextmanager
def guarded_console(platform: BrowserPlatform, directory: Path) -> Iterator[GuardedConsole]:
    users = directory / "users.properties"
    users.write_text("".join(f"{name}: {name}-secret,{role}\n" for name, role in ROLES.items()))
    played = {
        "ksql.service.id": "zz_played_",
        "ksql.logging.processing.topic.auto.create": "false",
        "spark.ui.enabled": "true",
    }
    with running_ksql(platform.bootstrap, directory / "ksql", played) as ksql:
        settings = {
            "clusters": "default,played",
            "cluster.default.bootstrap.servers": platform.bootstrap,
            "cluster.default.ksql.url": platform.ksql_url,
            "cluster.played.bootstrap.servers": platform.bootstrap,
            "cluster.played.ksql.url": ksql.url,
            "authentication.method": "BASIC",
            "authentication.user.file": str(users),
            "riacho.console.dir": str(directory / "console"),
        }
        console = ServiceProcess("control-center", platform.bootstrap, directory, settings).start()
        try:
            yield GuardedConsole(console.url, ksql)
        finally:
            console.stop()


def sign_in(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(f"{name}-secret")
    page.get_by_role("button", name="Sign in").click()
