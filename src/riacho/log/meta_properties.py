"""`meta.properties`: whom a log directory belongs to. Version 1, in the form of a Java properties file."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.base.ids import uuid_from_text, uuid_text
from riacho.log.checkpoints import replace_file

META_PROPERTIES_FILE = "meta.properties"
_VERSION = "1"


@dataclass(frozen=True, slots=True)
class MetaProperties:
    node_id: int
    cluster_id: str
    directory_id: bytes


def write_meta_properties(directory: str, meta: MetaProperties) -> None:
    lines = (
        "#",
        f"cluster.id={meta.cluster_id}",
        f"directory.id={uuid_text(meta.directory_id)}",
        f"node.id={meta.node_id}",
        f"version={_VERSION}",
    )
    replace_file(f"{directory}/{META_PROPERTIES_FILE}", "".join(f"{line}\n" for line in lines).encode())


def read_meta_properties(directory: str) -> MetaProperties | None:
    """None when the directory was never formatted; ValueError when the file cannot be understood."""
    try:
        with open(f"{directory}/{META_PROPERTIES_FILE}", encoding="utf-8") as file:
            lines = [line.strip() for line in file]
    except FileNotFoundError:
        return None
    pairs = (line.partition("=") for line in lines if line and line[0] not in "#!")
    fields = {key.strip(): value.strip().replace("\\=", "=").replace("\\:", ":") for key, _, value in pairs}
    try:
        if fields["version"] != _VERSION:
            raise ValueError(f"version {fields['version']} is not known")
        return MetaProperties(int(fields["node.id"]), fields["cluster.id"], uuid_from_text(fields["directory.id"]))
    except KeyError as error:
        raise ValueError(f"{META_PROPERTIES_FILE} lacks {error.args[0]}") from error
