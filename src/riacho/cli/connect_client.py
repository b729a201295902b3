"""Calls of a Connect worker: where it is, and one clear sentence when it does not do as it is asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote

import click

from riacho.cli import http_json
from riacho.cli.http_json import HttpFailure
from riacho.cli.supervisor.services import CONNECT
from riacho.client.http_target import without_user

F = TypeVar("F", bound=Callable[..., Any])
_TIMEOUT_S = 60.0


def connect_option(function: F) -> F:
    return click.option(
        "--connect",
        "url",
        metavar="URL",
        help="A Connect worker. Default: $RIACHO_CONNECT_URL, that of the running `riacho up`, http://127.0.0.1:8083.",
    )(function)


class ConnectClient:
    def __init__(self, url: str | None) -> None:
        given = url or os.environ.get("RIACHO_CONNECT_URL") or _running_here() or CONNECT.url(CONNECT.port)
        self.url = (given if "://" in given else f"http://{given}").rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise click.UsageError(
                f"{without_user(given)} is no address of a Connect worker: it begins with http:// or https://."
            )

    def pipelines(self) -> list[dict[str, Any]]:
        found = self.call("GET", "/pipelines")
        if not isinstance(found, list) or not all(isinstance(each, dict) and "tasks" in each for each in found):
            raise self._not_ours()
        return found

    def pipeline(self, name: str) -> dict[str, Any]:
        found = self.call("GET", f"/pipelines/{path_of(name)}")
        if not isinstance(found, dict) or "picture" not in found:
            raise self._not_ours()
        return found

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The answer's JSON, None where it has none. ClickException."""
        try:
            return http_json.call(method, self.url + path, body, timeout_s=_TIMEOUT_S)
        except HttpFailure as failure:
            raise self._as_click_error(failure) from None

    def _as_click_error(self, failure: HttpFailure) -> click.ClickException:
        message, status = failure.message.rstrip("."), failure.status
        if status is None:
            reason = message.rpartition(" does not answer: ")[2]
            return click.ClickException(
                f"Connect at {without_user(self.url)} cannot be reached: {reason}. "
                "Start it with `riacho up`, or name it by --connect."
            )
        # What is not there has a name in Riacho's answer; without one it is the path that is not there.
        if status < 300 or (status == 404 and ("HTTP 404" in message or "answered 404" in message)):
            return self._not_ours()
        return click.ClickException(message + ".")

    def _not_ours(self) -> click.ClickException:
        return click.ClickException(
            f"What answers at {without_user(self.url)} is no Connect worker of Riacho: name one by --connect."
        )


def path_of(name: str) -> str:
    return quote(name, safe="")


def _running_here() -> str | None:
    from riacho.cli.supervisor.running import newest_running

    state = newest_running()
    found = [service.url for service in state.services if service.name == CONNECT.name] if state is not None else []
    return found[0] if found else None
