"""From the text of a .proto file to its elements: proto2, proto3 and editions.

What a file may say where is checked here; whether the names it uses exist is not (files.py), nor whether the numbers
and names it gives out are free (checks.py).
"""

from __future__ import annotations

from dataclasses import replace

from riacho.schemas.protobuf.body_parser import BodyParser
from riacho.schemas.protobuf.elements import Enum, Extend, File, Message, Option, Rpc, Service
from riacho.schemas.protobuf.lexer import END, Lexer
from riacho.schemas.protobuf.option_parser import read_statement

EDITIONS = ("2023", "2024")


def parse_file(text: str) -> File:
    """SchemaError, with line and column, where the text is no .proto file."""
    return _FileParser(Lexer(text)).read()


class _FileParser:
    def __init__(self, lexer: Lexer) -> None:
        self._lexer = lexer
        self._imports: dict[str, list[str]] = {"": [], "public": [], "weak": []}
        self._package: str | None = None
        self._options: list[Option] = []
        self._messages: list[Message] = []
        self._enums: list[Enum] = []
        self._extends: list[Extend] = []
        self._services: list[Service] = []

    def read(self) -> File:
        head = self._read_syntax()
        self._bodies = BodyParser(self._lexer, head.syntax, head.edition)
        while self._lexer.kind != END:
            if not self._lexer.accept(";"):
                self._read_declaration()
        return replace(
            head,
            package=self._package,
            imports=tuple(self._imports[""]),
            public_imports=tuple(self._imports["public"]),
            weak_imports=tuple(self._imports["weak"]),
            options=tuple(self._options),
            messages=tuple(self._messages),
            enums=tuple(self._enums),
            extends=tuple(self._extends),
            services=tuple(self._services),
        )

    def _read_syntax(self) -> File:
        lexer = self._lexer
        if lexer.accept_word("syntax"):
            lexer.expect("=")
            syntax = lexer.string()
            if syntax not in ("proto2", "proto3"):
                raise lexer.error(f"unknown syntax {syntax!a}")
            lexer.expect(";")
            return File(syntax=syntax)
        if lexer.accept_word("edition"):
            lexer.expect("=")
            edition = lexer.string()
            if edition not in EDITIONS:
                raise lexer.error(f"unknown edition {edition!a}")
            lexer.expect(";")
            return File(edition=edition)
        return File()

    def _read_declaration(self) -> None:
        lexer = self._lexer
        match lexer.word():
            case "package":
                if self._package is not None:
                    raise lexer.error("a file has one package only")
                self._package = lexer.dotted_name().lstrip(".")
                lexer.expect(";")
            case "import":
                kind = lexer.next() if lexer.kind == "word" and lexer.token in self._imports else ""
                self._imports[kind].append(lexer.string())
                lexer.expect(";")
            case "option":
                self._options.append(read_statement(lexer))
            case "message":
                self._messages.append(self._bodies.message(0))
            case "enum":
                self._enums.append(self._bodies.enum())
            case "extend":
                self._extends.append(self._bodies.extend(0))
            case "service":
                self._services.append(self._service())
            case "syntax" | "edition":
                raise lexer.error("the syntax has to be said before anything else")
            case _:
                lexer.back()
                raise lexer.error(f"unexpected {lexer.shown()}")

    def _service(self) -> Service:
        lexer = self._lexer
        name = lexer.word()
        lexer.expect("{")
        rpcs: list[Rpc] = []
        options: list[Option] = []
        while not lexer.accept("}"):
            if lexer.accept(";"):
                continue
            if lexer.accept_word("option"):
                options.append(read_statement(lexer))
            elif lexer.accept_word("rpc"):
                rpcs.append(self._rpc())
            else:
                raise lexer.error(f"unexpected {lexer.shown()} in a service")
        return Service(name, tuple(rpcs), tuple(options))

    def _rpc(self) -> Rpc:
        lexer = self._lexer
        name = lexer.word()
        request, request_streaming = self._rpc_type()
        if not lexer.accept_word("returns"):
            raise lexer.error(f"expected 'returns' but found {lexer.shown()}")
        response, response_streaming = self._rpc_type()
        options: list[Option] = []
        if lexer.accept("{"):
            while not lexer.accept("}"):
                if lexer.accept_word("option"):
                    options.append(read_statement(lexer))
                elif not lexer.accept(";"):
                    raise lexer.error(f"unexpected {lexer.shown()} in an rpc")
            lexer.accept(";")
        else:
            lexer.expect(";")
        return Rpc(name, request, response, request_streaming, response_streaming, tuple(options))

    def _rpc_type(self) -> tuple[str, bool]:
        lexer = self._lexer
        lexer.expect("(")
        streaming = lexer.accept_word("stream")
        if streaming and lexer.looks_at(")"):
            name, streaming = "stream", False
        else:
            name = lexer.dotted_name()
        lexer.expect(")")
        return name, streaming
