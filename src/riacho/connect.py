"""What a connector is made of: the one module that authors of connectors import from.

    from riacho.connect import ConfigDef, ConfigType, Definition, SourceConnector

Importing it does not import Spark, since Connect checks configs without a session: a connector's module imports
pyspark inside the methods that use it. See docs/guides/connect.md for how a worker finds connectors.
"""

from riacho.base.config import Validator, Value, at_least, between, list_of, non_empty, one_of, one_of_any_case
from riacho.pipelines.config_def import ConfigDef, ConfigError, ConfigType, ConfigValue, Definition, Importance, Outside
from riacho.pipelines.plugin import (
    ConnectError,
    Connector,
    Context,
    Rejected,
    RetriableError,
    SinkConnector,
    SourceConnector,
    SourceOffset,
)
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.reach.paths import open_within

__all__ = [
    "ConfigDef",
    "ConfigError",
    "ConfigType",
    "ConfigValue",
    "ConnectError",
    "Connector",
    "Context",
    "Definition",
    "Importance",
    "Limits",
    "Outside",
    "Rejected",
    "RetriableError",
    "SinkConnector",
    "SourceConnector",
    "SourceOffset",
    "Validator",
    "Value",
    "at_least",
    "between",
    "list_of",
    "non_empty",
    "one_of",
    "one_of_any_case",
    "open_within",
]
