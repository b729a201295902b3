"""The transforms of one connector, in their order, each with its predicate: read from its config, applied to a batch.

    transforms=mask,route
    transforms.mask.type=org.apache.kafka.connect.transforms.MaskField$Value
    transforms.mask.fields=card
    transforms.route.type=org.apache.kafka.connect.transforms.RegexRouter
    transforms.route.predicate=isTest
    transforms.route.negate=true
    predicates=isTest
    predicates.isTest.type=...

`chain` raises ConfigError in one sentence; `chain_config` gives the definitions that such a config has, for validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.base.config import ConfigError, Value, invalid
from riacho.pipelines import pipeline
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.pipeline import transforms_of
from riacho.pipelines.transforms.plugins import PREDICATES, TRANSFORMS, find_predicate, find_transform, forms_of
from riacho.pipelines.transforms.predicate import Predicate
from riacho.pipelines.transforms.transform import Transform

__all__ = ["PREDICATES", "TRANSFORMS", "Chain", "Step", "chain", "chain_config", "chain_of"]

Made = TypeVar("Made")


def _unique(name: str, value: Value) -> None:
    if isinstance(value, list) and len(set(value)) != len(value):
        raise invalid(name, value, "Duplicate alias provided.")


_TRANSFORM_ALIASES = Definition(
    "transforms",
    ConfigType.LIST,
    "",
    doc="Aliases for the transformations to be applied to records.",
    valid=_unique,
    importance=Importance.LOW,
    group="Transforms",
    width="LONG",
    display_name="Transforms",
)
_PREDICATE_ALIASES = Definition(
    "predicates",
    ConfigType.LIST,
    "",
    doc="Aliases for the predicates used by transformations.",
    valid=_unique,
    importance=Importance.LOW,
    group="Predicates",
    width="LONG",
    display_name="Predicates",
)
_IMPLICIT = ConfigDef(
    Definition(
        "predicate",
        ConfigType.STRING,
        "",
        doc="The alias of a predicate used to determine whether to apply this transformation.",
    ),
    Definition("negate", ConfigType.BOOLEAN, "false", doc="Whether the configured predicate should be negated."),
)


@dataclass(frozen=True, slots=True)
class Step:
    alias: str
    transform: Transform
    predicate: Predicate | None = None
    negate: bool = False

    def apply(self, batch: DataFrame) -> DataFrame:
        if self.predicate is None:
            return self.transform.apply(batch)
        matched = F.coalesce(self.predicate.test(batch), F.lit(False))
        return self.transform.apply(batch, ~matched if self.negate else matched)


@dataclass(frozen=True, slots=True)
class Chain:
    steps: tuple[Step, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.steps)

    def apply(self, batch: DataFrame) -> DataFrame:
        for step in self.steps:
            batch = step.apply(batch)
        return batch


def chain(configs: Mapping[str, str]) -> Chain:
    """The chain that a connector's whole config describes; ConfigError names the setting that is wrong."""
    return chain_of(transforms_of(configs))


def chain_of(transforms: Sequence[pipeline.Transform]) -> Chain:
    """The transforms of a pipeline, made; ConfigError names the setting that is wrong."""
    _unique("transforms", [each.name for each in transforms])
    return Chain(tuple(_step(each) for each in transforms))


def chain_config(configs: Mapping[str, str]) -> ConfigDef:
    """Definitions of all that the config names; of a type that is not known only the type, which says so."""
    definitions = [_TRANSFORM_ALIASES, _PREDICATE_ALIASES]
    for alias in _known_aliases(_TRANSFORM_ALIASES, configs):
        definitions += _definitions("transforms", alias, configs, _transform_type)
    for alias in _known_aliases(_PREDICATE_ALIASES, configs):
        definitions += _definitions("predicates", alias, configs, _predicate_type)
    return ConfigDef(*definitions)


def _aliases(definition: Definition, configs: Mapping[str, str]) -> list[str]:
    value = definition.parse(configs.get(definition.name))
    return [alias for alias in value if alias] if isinstance(value, list) else []


def _known_aliases(definition: Definition, configs: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(_aliases(replace(definition, valid=None), configs)))


def _step(given: pipeline.Transform) -> Step:
    prefix = f"transforms.{given.name}."
    kind = _transform_type(f"{prefix}type", given.class_name)
    if "negate" in given.settings and "predicate" not in given.settings:
        raise ConfigError(
            f"Config '{prefix}negate' was provided but there is no config '{prefix}predicate' defining a predicate to "
            "be negated."
        )
    for definition in _IMPLICIT:
        definition.parse(given.settings.get(definition.name))
    predicate = None if given.predicate is None else _predicate(prefix, given.predicate)
    return Step(given.name, _made(prefix, lambda: kind(given.settings)), predicate, given.negate)


def _predicate(of: str, given: pipeline.Predicate) -> Predicate:
    if not given.is_known:
        raise invalid(f"{of}predicate", given.name, "there is no predicate of that alias in 'predicates'")
    prefix = f"predicates.{given.name}."
    kind = _predicate_type(f"{prefix}type", given.class_name)
    return _made(prefix, lambda: kind(given.settings))


def _made(prefix: str, make: Callable[[], Made]) -> Made:
    """Errors say which of several transforms they are about."""
    try:
        return make()
    except ConfigError as error:
        raise ConfigError(f"{prefix.removesuffix('.')}: {error}") from None


def _transform_type(setting: str, name: str | None) -> type[Transform]:
    found = find_transform(_given(setting, name))
    if found is not None:
        return found
    forms = forms_of(str(name))
    if forms:
        message = f"Transformation is abstract and cannot be created. Did you mean {', '.join(forms)}?"
        raise invalid(setting, name, message)
    raise invalid(setting, name, f"Class {name} could not be found.")


def _predicate_type(setting: str, name: str | None) -> type[Predicate]:
    found = find_predicate(_given(setting, name))
    if found is None:
        raise invalid(setting, name, f"Class {name} could not be found.")
    return found


def _given(setting: str, name: str | None) -> str:
    if not name or not name.strip():
        raise ConfigError(f'Missing required configuration "{setting}" which has no default value.')
    return name.strip()


def _definitions(
    kind: str,
    alias: str,
    configs: Mapping[str, str],
    find: Callable[[str, str | None], type[Transform] | type[Predicate]],
) -> Iterator[Definition]:
    prefix, group = f"{kind}.{alias}.", f"{kind.capitalize()}: {alias}"
    is_transform = kind == "transforms"
    own = pipeline.under(prefix, configs)
    word = "transformation" if is_transform else "predicate"

    def valid(name: str, value: Value) -> None:
        """The class is there, and takes its settings together: rules that span several of them show here."""
        made = find(name, str(value or ""))
        if all(not answer.errors for answer in made.CONFIG.check(own)):
            made(own)
        if is_transform and "negate" in own and "predicate" not in own:
            raise ConfigError(
                f"Config '{prefix}negate' was provided but there is no config '{prefix}predicate' defining a predicate "
                "to be negated."
            )

    yield Definition(
        f"{prefix}type",
        ConfigType.CLASS,
        doc=f"Class for the '{alias}' {word}.",
        required=True,
        valid=valid,
        importance=Importance.HIGH,
        group=group,
        order=0,
        width="LONG",
        display_name=f"{'Transformation' if is_transform else 'Predicate'} type for {alias}",
        recommended=tuple(TRANSFORMS if is_transform else PREDICATES),
    )
    try:
        found = find(f"{prefix}type", own.get("type"))
    except ConfigError:
        return
    settings = _IMPLICIT + found.CONFIG if is_transform else found.CONFIG
    for order, definition in enumerate(settings.under(prefix, group), start=1):
        yield replace(definition, order=order)
