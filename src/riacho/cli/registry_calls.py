"""Calls of a schema registry for `riacho schema`: what is asked, and one sentence when it does not do so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

import click

from riacho.base.packages import how_to_install
from riacho.cli.schema_options import REGISTRY_URL, registry_url
from riacho.cli.supervisor.services import can_run_services

if TYPE_CHECKING:
    from riacho.cli.target import Target

LATEST = "latest"


class WrittenSchema(NamedTuple):
    """`type` is AVRO, JSON or PROTOBUF."""

    type: str
    text: str
    references: tuple[dict[str, Any], ...] = ()

    def body(self) -> dict[str, Any]:
        return {"schema": self.text, "schemaType": self.type, "references": list(self.references)}


class RegistryCalls:
    """With the settings of Confluent's clients: logins and TLS by their names, from -X, a file or a profile."""

    def __init__(self, target: Target, url: str | None) -> None:
        if not can_run_services():
            text = f"Schemas need packages that are not installed: {how_to_install('services')}."
            raise click.ClickException(text)
        from riacho.pipelines.formats.registry_client import RegistryClient

        configs = {**target.properties, REGISTRY_URL: registry_url(target, url)}
        if "basic.auth.user.info" in configs or "schema.registry.basic.auth.user.info" in configs:
            configs.setdefault("basic.auth.credentials.source", "USER_INFO")
        self._client = RegistryClient(configs)

    def latest(self, prefix: str, *, with_deleted: bool) -> list[dict[str, Any]]:
        """The latest version of each subject, whole."""
        query = {"latestOnly": "true", "subjectPrefix": prefix, **({"deleted": "true"} if with_deleted else {})}
        return sorted(self._ask("GET", "/schemas", query=query), key=lambda each: str(each["subject"]))

    def version(self, subject: str, version: str) -> dict[str, Any]:
        return dict(self._ask("GET", f"{_subject(subject)}/versions/{version}"))

    def versions(self, subject: str) -> list[int]:
        return [int(each) for each in self._ask("GET", f"{_subject(subject)}/versions")]

    def register(self, subject: str, schema: WrittenSchema, *, normalize: bool) -> dict[str, Any]:
        query = {"normalize": "true"} if normalize else {}
        made: dict[str, Any] = self._ask("POST", f"{_subject(subject)}/versions", schema.body(), query)
        # An older registry tells the id alone.
        return made if "version" in made else dict(self._ask("POST", _subject(subject), schema.body(), query))

    def check(self, subject: str, version: str | None, schema: WrittenSchema) -> tuple[bool, list[str]]:
        """Whether it may follow that version, or all that the level asks for where none is named; and why not."""
        place = "versions" if version is None else f"versions/{version}"
        path = f"/compatibility/subjects/{quote(subject, safe='')}/{place}"
        told = self._ask("POST", path, schema.body(), {"verbose": "true"})
        return bool(told.get("is_compatible")), [str(each) for each in told.get("messages") or []]

    def delete(self, subject: str, version: str | None, *, for_good: bool) -> list[int]:
        path = _subject(subject) if version is None else f"{_subject(subject)}/versions/{version}"
        gone = self._ask("DELETE", path, query={"permanent": "true"} if for_good else {})
        return [int(each) for each in (gone if isinstance(gone, list) else [gone])]

    def level(self, subject: str | None) -> str:
        """The registry's own where the subject has none."""
        query = {} if subject is None else {"defaultToGlobal": "true"}
        told = self._ask("GET", _config(subject), query=query)
        return str(told.get("compatibilityLevel"))

    def set_level(self, subject: str | None, level: str) -> None:
        self._ask("PUT", _config(subject), {"compatibility": level})

    def unset_level(self, subject: str) -> None:
        self._ask("DELETE", _config(subject))

    def _ask(self, method: str, path: str, body: Any = None, query: dict[str, str] | None = None) -> Any:
        from riacho.pipelines.formats.registry_client import RegistryError

        address = f"{path}?{urlencode(query)}" if query else path
        try:
            return self._client.ask(method, address, None if body is None else json.dumps(body).encode())
        except RegistryError as error:
            raise click.ClickException(f"{str(error).rstrip('.')}.") from None


def _subject(subject: str) -> str:
    return f"/subjects/{quote(subject, safe='')}"


def _config(subject: str | None) -> str:
    return "/config" if subject is None else f"/config/{quote(subject, safe='')}"
