"""Calls of a control center: where it is, who calls, and one clear sentence when it does not do as it is asked."""

from __future__ import annotations

import functools
import os
from base64 import b64encode
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote

import click

from riacho.cli import http_json
from riacho.cli.http_json import HttpFailure
from riacho.cli.supervisor.services import CONTROL_CENTER

F = TypeVar("F", bound=Callable[..., Any])
_API = "/api/v1"
# The first of a console with one cluster.
_CLUSTER = "default"


def console_options(function: F) -> F:
    """Gives the command a `console`."""

    @functools.wraps(function)
    def with_console(*args: Any, url: str | None, cluster: str, user: str | None, **rest: Any) -> Any:
        return function(*args, console=ConsoleClient(url, cluster, user), **rest)

    options = (
        click.option(
            "--console",
            "url",
            metavar="URL",
            help="A control center. Default: $RIACHO_CONSOLE_URL, that of the running `riacho up`, "
            "http://127.0.0.1:9021.",
        ),
        click.option("--cluster", default=_CLUSTER, metavar="ID", help="Where it shows several. Default: default."),
        click.option("-u", "--user", metavar="NAME", help="With the password of $RIACHO_PASSWORD, or that you type."),
    )
    decorated: Any = with_console
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


class ConsoleClient:
    def __init__(self, url: str | None, cluster: str, user: str | None) -> None:
        given = (
            url or os.environ.get("RIACHO_CONSOLE_URL") or _running_here() or CONTROL_CENTER.url(CONTROL_CENTER.port)
        )
        self.url = (given if "://" in given else f"http://{given}").rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise click.UsageError(f"{given} is no address of a control center: it begins with http:// or https://.")
        self._path = f"/clusters/{quote(cluster, safe='')}"
        self._user = user
        self._headers: dict[str, str] | None = None

    def get(self, path: str) -> Any:
        return self._call("GET", self._path + path, None, self._door())

    def change(self, method: str, path: str, body: object) -> Any:
        headers = self._door()
        if self._user is None:
            # Where nobody logs in it shows that no page of another site calls.
            headers |= {"X-Riacho-Csrf": str(self._call("GET", "/me", None, headers).get("csrf", ""))}
        return self._call(method, self._path + path, body, headers)

    def _door(self) -> dict[str, str]:
        if self._headers is None:
            self._headers = {}
            if self._user is not None:
                password = os.environ.get("RIACHO_PASSWORD") or click.prompt("Password", hide_input=True, err=True)
                token = b64encode(f"{self._user}:{password}".encode()).decode()
                self._headers = {"Authorization": f"Basic {token}"}
        return dict(self._headers)

    def _call(self, method: str, path: str, body: object, headers: dict[str, str]) -> Any:
        """ClickException."""
        try:
            found = http_json.call(method, f"{self.url}{_API}{path}", body, headers=headers)
        except HttpFailure as failure:
            raise self._as_click_error(failure) from None
        if not isinstance(found, dict):
            raise self._not_ours()
        return found

    def _as_click_error(self, failure: HttpFailure) -> click.ClickException:
        message, status = failure.message.rstrip("."), failure.status
        if status is None:
            return click.ClickException(
                f"The control center at {self.url} cannot be reached: {message.rpartition(' does not answer: ')[2]}. "
                "Start it with `riacho up`, or name it by --console."
            )
        # What is not there has a name in a control center's answer; without one it is the path that is not there.
        if status < 300 or (status == 404 and "answered 404" in message):
            return self._not_ours()
        if status == 401:
            return click.ClickException(f"{message}. Say who you are with --user NAME.")
        return click.ClickException(message + ".")

    def _not_ours(self) -> click.ClickException:
        return click.ClickException(f"What answers at {self.url} is no control center: name one by --console.")


def _running_here() -> str | None:
    from riacho.cli.supervisor.running import newest_running

    state = newest_running()
    found = [each.url for each in state.services if each.name == CONTROL_CENTER.name] if state is not None else []
    return found[0] if found else None
