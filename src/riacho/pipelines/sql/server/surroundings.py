"""What analysis asks of the world about a statement: topics of the cluster, schemas of the registry.

Analysis runs twice where a statement changes something: once in a thread, where it may ask, and once more where the
leader decides, on the catalogue as it is then. What was asked the first time is remembered for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from riacho.pipelines.sql.analysis.settings import Evaluate, Infer, InferenceRequest, Inferred, Settings, TopicFacts
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.functions.aggregate_signatures import AggregateFunction
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.server.topics import KafkaTopic


@dataclass(slots=True)
class Surroundings:
    find_topic: Callable[[str], KafkaTopic | None]
    infer: Infer
    functions: Registry
    aggregates: Mapping[str, AggregateFunction]
    evaluate: Evaluate | None
    registry: Mapping[str, str]
    """Only what plans may show: the registry's address."""
    _topics: dict[str, TopicFacts | None] = field(default_factory=dict)
    _inferred: dict[InferenceKey, Inferred] = field(default_factory=dict)
    _may_ask: bool = True

    def settings(self, properties: Mapping[str, str]) -> Settings:
        return Settings(
            properties=properties,
            registry=self.registry,
            functions=self.functions,
            aggregates=self.aggregates,
            infer=self._infer,
            find_topic=self._find,
            evaluate=self.evaluate if self._may_ask else None,
            pulls_aggregates=True,
        )

    def remembered(self, properties: Mapping[str, str]) -> Settings:
        """For the decision, which may not wait for anybody."""
        self._may_ask = False
        return self.settings(properties)

    def _find(self, name: str) -> TopicFacts | None:
        if name not in self._topics:
            if not self._may_ask:
                raise KsqlError("The catalogue has changed meanwhile; try again.")
            found = self.find_topic(name)
            self._topics[name] = None if found is None else TopicFacts(found.partitions, min(found.replicas))
        return self._topics[name]

    def _infer(self, request: InferenceRequest) -> Inferred:
        key = (request.topic, request.format.name, request.format.schema_id, request.is_key)
        if key not in self._inferred:
            if not self._may_ask:
                raise KsqlError("The catalogue has changed meanwhile; try again.")
            self._inferred[key] = self.infer(request)
        return self._inferred[key]


InferenceKey = tuple[str, str, int | None, bool]
