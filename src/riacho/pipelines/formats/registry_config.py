"""Settings of the converters that use a schema registry: Confluent's names and defaults."""

from __future__ import annotations

from riacho.base.config import Value, invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.formats.subjects import TOPIC_NAME, strategy_of


def _strategy(name: str, value: Value) -> None:
    if isinstance(value, str) and strategy_of(value) is None:
        raise invalid(name, value, "Class could not be found.")


_NAMES = "io.confluent.kafka.serializers.subject."

REGISTRY_CONFIG = ConfigDef(
    Definition(
        "schema.registry.url",
        ConfigType.LIST,
        doc="Addresses of the schema registry, separated by commas.",
        required=True,
        importance=Importance.HIGH,
    ),
    Definition("basic.auth.credentials.source", ConfigType.STRING, "URL", doc="Where user and password stand."),
    Definition("basic.auth.user.info", ConfigType.PASSWORD, "", doc="user:password, for the source USER_INFO."),
    Definition("bearer.auth.token", ConfigType.PASSWORD, "", doc="A token that is sent with each request."),
    Definition("auto.register.schemas", ConfigType.BOOLEAN, "true", doc="Register schemas that are not there yet."),
    Definition(
        "use.latest.version",
        ConfigType.BOOLEAN,
        "false",
        doc="Write with the latest version of the subject; only where auto.register.schemas is false.",
    ),
    Definition("normalize.schemas", ConfigType.BOOLEAN, "false", doc="Register schemas in their normal form."),
    Definition(
        "key.subject.name.strategy",
        ConfigType.CLASS,
        _NAMES + TOPIC_NAME,
        doc="How subjects of keys are named.",
        valid=_strategy,
    ),
    Definition(
        "value.subject.name.strategy",
        ConfigType.CLASS,
        _NAMES + TOPIC_NAME,
        doc="How subjects of values are named.",
        valid=_strategy,
    ),
    Definition("schema.registry.ssl.truststore.location", ConfigType.STRING, "", doc="PEM file of those we trust."),
    Definition("schema.registry.ssl.keystore.location", ConfigType.STRING, "", doc="PEM file of our certificate."),
    Definition("schema.registry.ssl.key.password", ConfigType.PASSWORD, "", doc="Password of our private key."),
)
CLIENT_SETTINGS = (
    "schema.registry.url",
    "basic.auth.credentials.source",
    "basic.auth.user.info",
    "schema.registry.basic.auth.user.info",
    "bearer.auth.token",
    "schema.registry.ssl.truststore.location",
    "schema.registry.ssl.keystore.location",
    "schema.registry.ssl.key.password",
    "schema.registry.ssl.endpoint.identification.algorithm",
    "ssl.ca.location",
    "ssl.certificate.location",
    "ssl.key.location",
    "ssl.key.password",
)


def client_settings(configs: dict[str, str]) -> dict[str, str]:
    """Of a converter's settings, those that make its registry client."""
    return {name: configs[name] for name in CLIENT_SETTINGS if configs.get(name) is not None}
