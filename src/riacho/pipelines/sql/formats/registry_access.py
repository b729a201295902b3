"""What formats ask of a schema registry: little, so that a registry in memory serves tests as well as a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from riacho.pipelines.formats.registry_client import RegistryClient, RegistryError, registry_client
from riacho.schemas.parsed import ParsedSchema, Reference
from riacho.schemas.registry_conversations import RegisteredSchema


class RegistryRefusal(Exception):
    """The registry answered, and the answer was no; one sentence."""


class RegistryAccess(Protocol):
    def by_id(self, schema_id: int) -> ParsedSchema:
        """RegistryRefusal where there is none."""

    def latest(self, subject: str) -> RegisteredSchema | None:
        """The latest version of a subject; None where the subject is not there."""

    def register(
        self, subject: str, schema_type: str, text: str, references: Sequence[Reference] = ()
    ) -> RegisteredSchema:
        """RegistryRefusal where it is no schema, or an incompatible one."""

    def delete(self, subject: str) -> None:
        """All its versions; one that is not there is as deleted."""


class ClientRegistry:
    """A registry over HTTP."""

    def __init__(self, client: RegistryClient) -> None:
        self._client = client

    def by_id(self, schema_id: int) -> ParsedSchema:
        try:
            return self._client.by_id(schema_id)
        except RegistryError as error:
            raise _refusal(error) from None

    def latest(self, subject: str) -> RegisteredSchema | None:
        try:
            return self._client.latest(subject)
        except RegistryError as error:
            if _is_unknown(error):
                return None
            raise _refusal(error) from None

    def register(
        self, subject: str, schema_type: str, text: str, references: Sequence[Reference] = ()
    ) -> RegisteredSchema:
        try:
            return self._client.registered(subject, schema_type, text, references=references)
        except RegistryError as error:
            raise _refusal(error) from None

    def delete(self, subject: str) -> None:
        try:
            self._client.delete_subject(subject)
        except RegistryError as error:
            if not _is_unknown(error):
                raise _refusal(error) from None


def _is_unknown(error: RegistryError) -> bool:
    """The client tells the status in its sentence, and nowhere else."""
    return error.is_refusal and " answered 404" in str(error)


def _refusal(error: RegistryError) -> Exception:
    """What may be different a moment later stays the client's own error, so that callers try again."""
    return RegistryRefusal(str(error)) if error.is_refusal else error


def registry_of(settings: Mapping[str, str]) -> RegistryAccess | None:
    """This process's registry for these client settings; None where they name none."""
    return ClientRegistry(registry_client(settings)) if settings.get("schema.registry.url") else None
