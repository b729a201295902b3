"""`meta.properties`: whom a log directory belongs to. Version 1, in the form of a Java properties file."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.base.ids import uuid_from_text, uuid_text
from riacho.base.ports import Files
from riacho.log.checkpoints import read_small_file, replace_file
from riacho.log.real_files import REAL_FILES

META_PROPERTIES_FILE = "meta.properties"
_VERSION = "1"


@dataclass(frozen=True, slots=True)
class MetaProperties:
    node_id: int
    cluster_id: str
    directory_id: bytes


def write_meta_properties(directory: str, meta: MetaProperties, files: Files = REAL_FILES) -> None:
    lines = (
        "#",
        f"cluster.id={meta.cluster_id}",
        f"directory.id={uuid_text(meta.directory_id)}",
        f"node.id={meta.node_id}",
        f"version={_VERSION}",
    )
    replace_file(f"{directory}/{META_PROPERTIES_FILE}", "".join(f"{line}\n" for line in lines).encode(), files=files)


def read_meta_properties(directory: str, files: Files = REAL_FILES) -> MetaProperties | None:
    """None when the directory was never formatted; ValueError when the file cannot be understood."""
    try:
        text = read_small_file(f"{directory}/{META_PROPERTIES_FILE}", files).decode()
    except FileNotFoundError:
        return None
    lines = [line.strip() for line in text.splitlines()]
    pairs = (line.partition("=") for line in lines if line and line[0] not in "#!")
    fields = {key.strip(): value.strip().replace("\\=", "=").replace("\\:", ":") for key, _, value in pairs}
    try:
        if fields["version"] != _VERSION:
            raise ValueError(f"version {fields['version']} is not known")
        return MetaProperties(int(fields["node.id"]), fields["cluster.id"], uuid_from_text(fields["directory.id"]))
    except KeyError as error:
        raise ValueError(f"{META_PROPERTIES_FILE} lacks {error.args[0]}") from error
