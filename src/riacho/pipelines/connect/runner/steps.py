"""What a connector's config asks to be done with every record: converters of key and value, and the transforms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame

from riacho.pipelines import records
from riacho.pipelines.formats.converter import Converter
from riacho.pipelines.formats.converters import converter
from riacho.pipelines.pipeline import DEFAULT_CONVERTER
from riacho.pipelines.transforms.chain import Chain, chain

_SIDES = (records.KEY, records.VALUE)
# Converters that take any bytes: a sink with nothing else to do has no bad records, and need not look for them.
_TAKE_ANYTHING = frozenset({"ByteArrayConverter", "StringConverter"})


@dataclass(frozen=True, slots=True)
class Steps:
    """`configs` is text: made again where the batch function is sent, rather than pickled with what it holds."""

    configs: Mapping[str, str]

    def decode(self, batch: DataFrame) -> DataFrame:
        for side in _SIDES:
            batch = self._converter(side).decode(batch, side)
        return self._chain().apply(batch)

    def encode(self, batch: DataFrame) -> DataFrame:
        batch = self._chain().apply(batch)
        for side in _SIDES:
            batch = self._converter(side).encode(batch, side)
        return batch

    @property
    def can_fail_decoding(self) -> bool:
        names = {self._class(side).rpartition(".")[2] for side in _SIDES}
        return self.has_transforms or not names <= _TAKE_ANYTHING

    @property
    def has_transforms(self) -> bool:
        return bool(self.configs.get("transforms", "").strip())

    def check(self) -> None:
        """ConfigError in one sentence where a converter or transform cannot be made."""
        for side in _SIDES:
            self._converter(side)
        self._chain()

    def _class(self, side: str) -> str:
        return self.configs.get(f"{side}.converter") or DEFAULT_CONVERTER

    def _converter(self, side: str) -> Converter:
        prefix = f"{side}.converter."
        own = {name.removeprefix(prefix): text for name, text in self.configs.items() if name.startswith(prefix)}
        return converter(self._class(side), own, is_key=side == records.KEY)

    def _chain(self) -> Chain:
        return chain(self.configs)
