"""Statements that ask, and those about connectors and assertions: each to the module that answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from riacho.pipelines.sql.analysis.outcomes import Outcome, PushOutcome, QueryOutcome
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.assertions import Assertions
from riacho.pipelines.sql.server.connectors import Connectors
from riacho.pipelines.sql.server.describing import Describing
from riacho.pipelines.sql.server.entities import Entity
from riacho.pipelines.sql.server.listing import Listing
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.syntax.statements import Listed, Parsed

_CONNECTORS = (Listed.CONNECTORS, Listed.SOURCE_CONNECTORS, Listed.SINK_CONNECTORS, Listed.CONNECTOR_PLUGINS)


@dataclass(slots=True)
class Questions:
    listing: Listing
    describing: Describing
    connectors: Connectors
    assertions: Assertions
    analyse: Callable[[Parsed, Session], Outcome]
    """May ask brokers and the registry: for threads."""

    async def answer(self, parsed: Parsed, session: Session) -> Entity | None:
        """KsqlError."""
        text = parsed.text
        match parsed.statement:
            case syntax.Show(what=what) as show:
                if what in _CONNECTORS:
                    return await self.connectors.show(what, text)
                return await self.listing.show(show, text, session)
            case syntax.Describe(name, is_extended):
                return await self.describing.source(name, text, is_extended)
            case syntax.DescribeAll(kind):
                return await self.describing.all_of(kind, text)
            case syntax.DescribeFunction(name):
                return self.describing.function(name, text)
            case syntax.DescribeConnector(name):
                return await self.connectors.describe(name, text)
            case syntax.CreateConnector() as create:
                return await self.connectors.create(create, text)
            case syntax.DropConnector() as drop:
                return await self.connectors.drop(drop, text)
            case syntax.Explain() as explain:
                return await self._explain(explain, parsed, session)
            case syntax.AssertTopic() as assertion:
                return await self.assertions.topic(assertion, text)
            case syntax.AssertSchema() as assertion:
                return await self.assertions.schema(assertion, text)
            case syntax.AssertValues() | syntax.AssertSource():
                raise KsqlError("ASSERT of values, streams and tables is for the test runner.")
            case other:
                raise KsqlError(f"{type(other).__name__} is not taken here.")

    async def _explain(self, explain: syntax.Explain, parsed: Parsed, session: Session) -> Entity:
        if explain.statement is None:
            assert explain.query_id is not None, "one of them is there"
            return self.describing.explain_query(explain.query_id, parsed.text)
        inner = Parsed(explain.statement, parsed.text, parsed.at)
        outcome = await asyncio.to_thread(self.analyse, inner, session)
        match outcome:
            case QueryOutcome(query=query, sink=sink):
                source = self.describing.state.catalogue.source(query.reads[0])
                return self.describing.explain_plan(query.plan, source, sink, parsed.text)
            case PushOutcome(plan=plan, source=source):
                return self.describing.explain_plan(plan, source, None, parsed.text)
            case _:
                raise KsqlError("The provided statement does not run a ksql query")
