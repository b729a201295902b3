"""Write `src/riacho/wire/messages/` from `tools/schema/*.txt`.

    python tools/generate_messages.py            write
    python tools/generate_messages.py --check    say which modules are not what the schema gives, exit 1 if any

The schema files hold Kafka's message definitions, one message per paragraph, fields indented below their struct:

    Name kind versions flexible=versions [key=n]
      Field type versions [nullable=versions] [tag=n tagged=versions] [default=value] [ignorable] [flexible=none]
        FieldOfThatStruct ...
      struct Shared                 a struct that several fields of the message name
        Field ...
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "tools" / "schema"
TARGET = ROOT / "src" / "riacho" / "wire" / "messages"
INTEGERS = {"int8", "int16", "uint16", "int32", "uint32", "int64"}
ZERO_UUID = "ZERO_UUID"
PYTHON_TYPES = dict.fromkeys(INTEGERS, "int") | {
    "bool": "bool",
    "float64": "float",
    "string": "str",
    "bytes": "bytes",
    "uuid": "bytes",
}
NATURAL_DEFAULTS = dict.fromkeys(INTEGERS, "0") | {
    "bool": "False",
    "float64": "0.0",
    "string": '""',
    "bytes": 'b""',
    "uuid": ZERO_UUID,
    "records": "None",
}


@dataclass
class Entry:
    """One line of a schema file and what is indented below it."""

    words: list[str]
    children: list[Entry] = field(default_factory=list)

    def option(self, name: str) -> str | None:
        return next((w.partition("=")[2] for w in self.words[3:] if w.startswith(name + "=")), None)


def parse(text: str) -> list[Entry]:
    root = Entry([])
    stack = [root]
    for line in filter(str.strip, text.splitlines()):
        depth = (len(line) - len(line.lstrip())) // 2
        entry = Entry(line.split())
        del stack[depth + 1 :]
        stack[depth].children.append(entry)
        stack.append(entry)
    return root.children


def snake(name: str) -> str:
    name = name.replace("KRaft", "Kraft")
    result = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return result + "_" if keyword.iskeyword(result) else result


def versions(text: str) -> tuple[int, int | None]:
    first, plus, _ = text.partition("+")
    if plus:
        return int(first), None
    first, dash, last = text.partition("-")
    return int(first), int(last if dash else first)


def range_source(text: str) -> str:
    first, last = versions(text)
    return f"({first}, {'LAST' if last is None else last})"


class FieldSource:
    """One field as Python: its declaration in the class, its Field in the table."""

    def __init__(self, message: str, entry: Entry) -> None:
        self.entry = entry
        self.name = snake(entry.words[0])
        self.array = entry.words[1].startswith("[]")
        self.type = entry.words[1].removeprefix("[]")
        self.is_struct = self.type[0].isupper()
        self.default = entry.option("default")
        self.nullable = entry.option("nullable")
        # What a reader is given is always bytes in memory; only these answers are sent from files.
        self.may_splice = self.type == "records" and message.endswith("Response")
        tagged = entry.option("tagged")
        assert tagged is None or tagged == entry.words[2], f"{message}.{self.name}: tagged in some versions only"

    def annotation(self) -> str:
        if self.type == "records":
            return "Records | None" if self.may_splice else "Buffer | None"
        python = self.type if self.is_struct else PYTHON_TYPES[self.type]
        if self.array:
            python = f"list[{python}]"
        return python + " | None" if self.nullable or self.default == "null" else python

    def default_source(self) -> str:
        if self.default == "null":
            return "None"
        if self.array:
            return "[]"
        if self.is_struct:
            return f"field(default_factory={self.type})"
        if self.default is None:
            return NATURAL_DEFAULTS[self.type]
        if self.type in INTEGERS:
            return str(int(self.default, 0))
        return {"true": "True", "false": "False"}.get(self.default, self.default)

    def declaration(self) -> str:
        return f"    {self.name}: {self.annotation()} = {self.default_source()}"

    def spec(self) -> str:
        words = [f'"{self.name}"', self.type if self.is_struct else f'"{self.type}"']
        if self.entry.words[2] != "0+":
            words.append(range_source(self.entry.words[2]))
        if self.array:
            words.append("array=True")
        if self.nullable:
            words.append(f"nullable={range_source(self.nullable)}")
        if tag := self.entry.option("tag"):
            words.append(f"tag={tag}")
        default = self.default_source()
        if default not in ("[]", NATURAL_DEFAULTS.get(self.type)) and not default.startswith("field("):
            words.append(f"default={default}")
        if "ignorable" in self.entry.words:
            words.append("ignorable=True")
        if self.entry.option("flexible") == "none":
            words.append("flexible=False")
        return f"Field({', '.join(words)})"


def structs(message: Entry) -> list[tuple[str, list[Entry]]]:
    """(name, fields) of every struct below a message, each after those that it names."""
    shared = {child.words[1]: child.children for child in message.children if child.words[0] == "struct"}
    ordered: dict[str, list[Entry]] = {}

    def visit(fields: list[Entry]) -> None:
        for entry in fields:
            type_name = entry.words[1].removeprefix("[]")
            if type_name[0].isupper() and type_name not in ordered:
                below = entry.children or shared[type_name]
                visit(below)
                ordered[type_name] = below

    visit([child for child in message.children if child.words[0] != "struct"])
    return list(ordered.items())


def class_source(name: str, base: str, fields: list[FieldSource], attributes: list[str]) -> str:
    lines = [f"class {name}({base}):"]
    lines += [f.declaration() for f in fields]
    if len(fields) == 1:
        lines += ["", f"    FIELDS = ({fields[0].spec()},)"]
    elif fields:
        lines += ["", "    FIELDS = (", *(f"        {f.spec()}," for f in fields), "    )"]
    lines += attributes
    return "\n".join(lines) + "\n"


def module_source(message: Entry) -> str:
    name, kind, valid = message.words[:3]
    flexible, key = message.option("flexible"), message.option("key")
    first, last = versions(valid)
    attributes = [f'    NAME = "{name}"', f"    VERSIONS = ({first}, {last})"]
    if key is not None:
        attributes.insert(1, f"    API_KEY = {key}")
    if flexible != "none":
        assert flexible is not None
        attributes.append(f"    FLEXIBLE = {versions(flexible)[0]}")
    classes = [
        class_source(n, "WireStruct", [FieldSource(name, f) for f in fields], []) for n, fields in structs(message)
    ]
    own = [FieldSource(name, f) for f in message.children if f.words[0] != "struct"]
    classes.append(class_source(name, "Message", own, attributes))
    body = "\n\n".join(classes)
    names = ["Buffer", "Field", "LAST", "Message", "Records", "WireStruct"]
    used = [n for n in names if re.search(rf"\b{n}\b", body)]
    used.sort(key=lambda n: (not n.isupper(), n))
    imports = ["from __future__ import annotations\n"]
    if "field(" in body:
        imports.append("from msgspec import field\n")
    local = [f"from riacho.wire.schema import {', '.join(used)}"]
    if ZERO_UUID in body:
        local.insert(0, "from riacho.base.ids import ZERO_UUID")
    span = f"v{first}" if first == last else f"v{first}-{last}"
    number = "" if key is None else f", {'key' if kind in ('request', 'response') else 'number'} {key}"
    title = f"{name} ({kind.replace('-', ' ')}{number}), {span}."
    docstring = f'"""{title}\n\nWritten by tools/generate_messages.py.\n"""\n'
    return "\n".join([docstring, *imports, *local]) + "\n\n\n" + body


def modules() -> dict[str, str]:
    """File name -> source, for every message and for the package itself."""
    result = {"__init__.py": '"""Kafka\'s messages, one module each. Written by tools/generate_messages.py."""\n'}
    for path in sorted(SCHEMA.glob("*.txt")):
        for message in parse(path.read_text()):
            result[snake(message.words[0]) + ".py"] = module_source(message)
    return result


def stale(wanted: dict[str, str]) -> list[str]:
    present = {path.name: path.read_text() for path in TARGET.glob("*.py")}
    return sorted(name for name in present.keys() | wanted.keys() if present.get(name) != wanted.get(name))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a module is not current")
    wanted = modules()
    changed = stale(wanted)
    if parser.parse_args(arguments).check:
        print("\n".join(changed), end="\n" if changed else "")
        return 1 if changed else 0
    TARGET.mkdir(exist_ok=True)
    for name in changed:
        if name in wanted:
            (TARGET / name).write_text(wanted[name])
        else:
            (TARGET / name).unlink()
    print(f"{len(wanted)} modules, {len(changed)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
