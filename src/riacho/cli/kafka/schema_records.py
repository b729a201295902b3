"""Records with schemas for the console tools: JSON text to bytes in the registry's wire format, and back.

The tools are blocking programs; the registry's client is the REST proxy's, which is not, so it gets a loop of its own.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from riacho.base.packages import how_to_install
from riacho.cli.kafka.deserializers import Deserializer, Undecodable
from riacho.cli.kafka.formatters import DefaultFormatter
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.line_reader import Line, LineReader
from riacho.cli.kafka.text_file import read_text_file
from riacho.cli.supervisor.services import can_run_services

if TYPE_CHECKING:
    from riacho.rest_proxy.embedded.format import Format
    from riacho.rest_proxy.registry import Registry
    from riacho.schemas.registry_conversations import RegisteredSchema

_URL = "schema.registry.url"
_DEFAULT_URL = "http://localhost:8081"
_USER_INFO = ("basic.auth.user.info", "schema.registry.basic.auth.user.info")
_ID_AT = slice(1, 5)
T = TypeVar("T")
Code = Callable[[bytes], bytes | None]


class _ReferenceFields(TypedDict):
    name: str
    subject: str
    version: int


class SchemaRecords:
    """`java_name` is the first part of Confluent's class names: Avro, JsonSchema or Protobuf."""

    def __init__(self, java_name: str, properties: Mapping[str, str]) -> None:
        if not can_run_services():
            raise ToolError(f"Error: schemas need packages that are not installed: {how_to_install('services')}.")
        from riacho.rest_proxy.embedded.decoders import Decoders
        from riacho.rest_proxy.embedded.format import Format

        self.format: Format = Format[java_name.upper()]
        self._properties = properties
        self._loop = asyncio.Runner()
        self._registry = _registry(properties)
        self._decoders = Decoders(self._registry)

    def encoder(self, topic: str, *, is_key: bool) -> Code:
        """For one side of every record of the topic. ToolError when its schema cannot be had."""
        from riacho.rest_proxy.embedded.encoders import encode

        schema = self._run(self._schema(topic, is_key))

        def code(text: bytes) -> bytes | None:
            import msgspec

            from riacho.web.errors import ApiError

            try:
                return encode(schema, msgspec.Raw(text.strip()))
            except ApiError as error:
                raise ToolError(f"Error: {error.message}") from None

        return code

    def decode(self, payload: bytes) -> bytes:
        """Undecodable when the record is not in the wire format, or its schema is not to be had."""
        from riacho.web.errors import ApiError

        try:
            return self._loop.run(self._decoders.decode(self.format, [payload]))[0]
        except ApiError as error:
            raise Undecodable(error.message) from None

    def _run(self, asked: Awaitable[T]) -> T:
        from riacho.web.errors import ApiError

        async def wait() -> T:
            return await asked

        try:
            return self._loop.run(wait())
        except ApiError as error:
            raise ToolError(f"Error: {error.message}") from None

    async def _schema(self, topic: str, is_key: bool) -> RegisteredSchema:
        from riacho.schemas.registry_conversations import RegisteredSchema

        side = "key" if is_key else "value"
        subject = f"{topic}-{side}"
        schema_id = self._properties.get(f"{side}.schema.id")
        text = self._text(side)
        if schema_id is not None:
            if not schema_id.strip().isdecimal():
                raise ToolError(f"Error: {side}.schema.id is a number, not {schema_id!r}.")
            parsed, _ = await self._registry.by_id(int(schema_id))
            return RegisteredSchema(subject, int(schema_id), 0, parsed)
        if text is None:
            if self._is_on("use.latest.version", "false"):
                return await self._registry.latest(subject)
            raise ToolError(f"Error: give {side}.schema, {side}.schema.file, {side}.schema.id or use.latest.version.")
        found = {"schema": text, "schemaType": self.format.schema_type, "references": self._references(side)}
        parsed = await self._registry.parsed(found, f"Error when reading {side}.schema")
        may_register = self._is_on("auto.register.schemas", self._properties.get("auto.register", "true"))
        return await self._registry.registered(subject, parsed, may_register=may_register)

    def _is_on(self, key: str, default: str) -> bool:
        return self._properties.get(key, default).strip().lower() == "true"

    def _text(self, side: str) -> str | None:
        path = self._properties.get(f"{side}.schema.file")
        if not path:
            return self._properties.get(f"{side}.schema")
        return read_text_file(path)

    def _references(self, side: str) -> Any:
        import msgspec

        text = self._properties.get(f"{side}.refs", "[]")
        try:
            return msgspec.json.decode(text, type=list[_ReferenceFields])
        except msgspec.MsgspecError as error:
            raise ToolError(f"Error: {side}.refs is not a JSON list of references: {error}") from None


def _registry(properties: Mapping[str, str]) -> Registry:
    from riacho.rest_proxy.registry import Registry
    from riacho.web.upstream import Upstream

    urls = [url.strip() for url in properties.get(_URL, _DEFAULT_URL).split(",") if url.strip()]
    user = next((properties[key] for key in _USER_INFO if key in properties), None)
    authorization = None if user is None else f"Basic {base64.b64encode(user.encode()).decode()}"
    return Registry(Upstream(threads_max=1), urls, authorization=authorization)


class SchemaLineReader(LineReader):
    """Lines of JSON as records, as kafka-avro-console-producer and its kin read them.

    With a `key.serializer` (a StringSerializer, say) the key is the line's text as it stands.
    """

    def __init__(self, java_name: str, properties: Mapping[str, str], topic: str) -> None:
        super().__init__(properties)
        records = SchemaRecords(java_name, properties)
        self._value = records.encoder(topic, is_key=False)
        has_schema = self.parse_key and "key.serializer" not in properties
        self._key: Code | None = records.encoder(topic, is_key=True) if has_schema else None

    def read(self, line: bytes, number: int) -> Line:
        read = super().read(line, number)
        key = read.key if self._key is None or read.key is None else self._key(read.key)
        return Line(key, None if read.value is None else self._value(read.value), read.headers)


class SchemaFormatter(DefaultFormatter):
    """Records as lines of JSON, as kafka-avro-console-consumer and its kin print them.

    With a `key.deserializer` keys are what that says; `print.schema.ids` shows the id behind each decoded part.
    """

    def __init__(self, java_name: str, properties: Mapping[str, str]) -> None:
        super().__init__(properties)
        records = SchemaRecords(java_name, properties)
        shows_ids = properties.get("print.schema.ids", "false").strip().lower() == "true"
        separator = properties.get("schema.id.separator", "\t").encode()

        def with_id(data: bytes) -> bytes:
            return records.decode(data) + separator + b"%d" % int.from_bytes(data[_ID_AT], "big")

        decode: Deserializer = with_id if shows_ids else records.decode
        self._key = self._key or decode
        self._value = self._value or decode
