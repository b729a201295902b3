"""AlterReplicaLogDirsRequest (request, key 34), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class AlterReplicaLogDirTopic(WireStruct):
    name: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", "int32", array=True),
    )


class AlterReplicaLogDir(WireStruct):
    path: str = ""
    topics: list[AlterReplicaLogDirTopic] = []

    FIELDS = (
        Field("path", "string"),
        Field("topics", AlterReplicaLogDirTopic, array=True),
    )


class AlterReplicaLogDirsRequest(Message):
    dirs: list[AlterReplicaLogDir] = []

    FIELDS = (Field("dirs", AlterReplicaLogDir, array=True),)
    NAME = "AlterReplicaLogDirsRequest"
    API_KEY = 34
    VERSIONS = (1, 2)
    FLEXIBLE = 2
