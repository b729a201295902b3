"""The core as one thing: the state, what holds by default, and the parsed schemas. Decisions take it as their first
argument; none of them writes to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from riacho.schema_registry import errors
from riacho.schema_registry.compatibility import Candidate
from riacho.schema_registry.entities import Config, Content, Mode, Version
from riacho.schema_registry.parsing import ParsedSchemas
from riacho.schema_registry.references import resolve
from riacho.schema_registry.scopes import Defaults, config_in_scope, mode_in_scope
from riacho.schema_registry.state import State
from riacho.schemas.parsed import ParsedSchema, SchemaError


@dataclass(frozen=True, slots=True)
class Registry:
    state: State = field(default_factory=State)
    defaults: Defaults = field(default_factory=Defaults)
    schemas: ParsedSchemas = field(default_factory=ParsedSchemas)

    def config(self, subject: str | None) -> Config:
        return config_in_scope(self.state, subject, self.defaults)

    def mode(self, subject: str | None) -> Mode:
        return mode_in_scope(self.state, subject)

    def check_writable(self, subject: str | None) -> None:
        if self.mode(subject).is_read_only:
            raise errors.read_only(subject)

    def validate_fields(self, config: Config) -> bool:
        return self.defaults.validate_fields if config.validate_fields is None else config.validate_fields

    def checks_new(self, subject: str) -> bool:
        """Whether a schema for the subject must be right in all, or only readable, as one that was stored before: what
        is imported was checked, or let pass, elsewhere."""
        return not self.mode(subject).takes_ids and self.config(subject).validate_new_schemas is not False

    def normalizes(self, subject: str) -> bool:
        configured = self.config(subject).normalize
        return self.defaults.normalize if configured is None else configured

    def parse(self, subject: str, content: Content, *, is_new: bool) -> ParsedSchema:
        """SchemaError in the registry's words."""
        try:
            references, resolved = resolve(self.state, subject, content.references, is_new=is_new)
        except SchemaError as error:
            raise SchemaError(f"Invalid schema of type {content.schema_type}, details: {error}") from None
        return self.schemas.parse(content.schema_type, content.text, references, resolved, is_new=is_new)

    def canonical(
        self, subject: str, content: Content, *, normalize: bool, is_new: bool = True
    ) -> tuple[Content, ParsedSchema]:
        """The content as it is stored: text and references in the form of its kind. ApiError 42201."""
        if not content.text.strip():
            raise errors.invalid_schema("Empty schema")
        try:
            parsed = self.parse(subject, content, is_new=is_new)
            if normalize:
                parsed = parsed.normalized()
        except SchemaError as error:
            raise errors.invalid_schema(str(error)) from None
        stored = replace(content, schema_type=parsed.schema_type, text=parsed.text, references=tuple(parsed.references))
        return stored, parsed

    def parsed_version(self, version: Version) -> ParsedSchema:
        """ApiError 42201 where another registry stored what this one cannot read."""
        try:
            return self.parse(version.subject, version.content, is_new=False)
        except SchemaError as error:
            raise errors.invalid_schema(str(error)) from None

    def candidates(self, versions: Iterable[Version]) -> list[Candidate]:
        return [
            Candidate(partial(self.parsed_version, version), version.content.metadata, version.version)
            for version in versions
        ]
