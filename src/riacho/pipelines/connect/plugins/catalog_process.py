"""The process that answers what plugins there are and whether a config is right.

    python -m riacho.pipelines.connect.plugins.catalog_process

A process of its own because plugins import pyspark, which would more than double a worker that only keeps configs. It
is started by the first question and ends when nobody has asked for a while. JSON lines on standard input and output:
the first line tells the settings, each further one is a question and gets one line as its answer.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import IO, Any

from riacho.base.config import ConfigError
from riacho.base.packages import how_to_install
from riacho.pipelines.connect.plugins.definitions import shared_config
from riacho.pipelines.connect.plugins.plugins import Plugins, type_of
from riacho.pipelines.connect.plugins.validating import answer, definition_json, validate
from riacho.pipelines.plugin import ConnectError, SourceConnector, SourceOffset
from riacho.pipelines.reach.limits import Limits

Json = dict[str, Any]


class Questions:
    def __init__(self, plugins: Plugins, defaults: Mapping[str, str], limits: Limits | None = None) -> None:
        self._plugins = plugins
        self._limits = limits or Limits()
        self._defaults = defaults

    def answer(self, question: Json) -> Json:
        """`{"ok": ...}`, `{"wrong": sentence}` where the question names what is not there; `{"failed": sentence}`."""
        try:
            match question:
                case {"ask": "plugins", "all": bool(is_all)}:
                    found = self._plugins.all() if is_all else self._plugins.connectors()
                    return {
                        "ok": [{"class": each.class_name, "type": each.type, "version": each.version} for each in found]
                    }
                case {"ask": "config", "plugin": str(name)}:
                    return self._config(name)
                case {"ask": "validate", "name": str(name), "configs": dict(configs)}:
                    return self._validate(name, configs)
                case {"ask": "offsets", "configs": dict(configs), "pairs": list(pairs)}:
                    return self._check_offsets(configs, pairs)
                case {"ask": "class", "a": str(first), "b": str(second)}:
                    return {"ok": self._plugins.connector(first) is self._plugins.connector(second)}
        except (ConnectError, ConfigError) as error:
            return {"wrong": str(error)}
        except ImportError as error:
            return {"failed": f"The package {error.name or error} is not installed: {how_to_install('spark')}."}
        except Exception as error:
            # Its text may have values of the config in it, and those may be secrets.
            return {"failed": f"A plugin failed when it was asked: {type(error).__name__}."}
        return {"wrong": "The question is not understood."}

    def _config(self, name: str) -> Json:
        if self._plugins.is_connector(name):
            connector = self._plugins.connector(name)
            config = connector.CONFIG + shared_config(type_of(connector) == "sink", self._defaults)
        else:
            found = self._plugins.config_of(name)
            if found is None:
                return {"ok": None}
            config = found
        return {"ok": [definition_json(definition) for definition in config]}

    def _check_offsets(self, configs: Mapping[str, str], pairs: list[Json]) -> Json:
        connector = self._plugins.connector(configs.get("connector.class", ""))
        if issubclass(connector, SourceConnector):
            connector.alter_offsets(configs, [SourceOffset(pair["partition"], pair["offset"]) for pair in pairs])
        return {"ok": True}

    def _validate(self, name: str, configs: Mapping[str, str]) -> Json:
        validated = validate(self._plugins, configs, self._defaults, self._limits)
        ok = {
            "type": validated.type,
            "version": validated.version,
            "errors": validated.errors,
            "secrets": validated.secrets,
            "answer": answer(name, validated),
        }
        return {"ok": ok}


def serve(given: IO[str], answers: IO[str]) -> None:
    settings = json.loads(given.readline())
    limits = Limits.from_json(settings.get("limits"))
    questions = Questions(Plugins(settings["modules"]), settings["defaults"], limits)
    for line in given:
        answers.write(json.dumps(questions.answer(json.loads(line))) + "\n")
        answers.flush()


def main() -> None:
    # What a plugin prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
