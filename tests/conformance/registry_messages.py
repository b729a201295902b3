"""Protobuf message classes, made at run time as protoc's own code makes them: two files, one imports the other."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto


def _field(name: str, number: int, kind: int, type_name: str = "", label: int = _Field.LABEL_OPTIONAL) -> Any:
    return _Field(name=name, number=number, type=kind, type_name=type_name or None, label=label)  # type: ignore[arg-type]


def _geo() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="conformance/geo.proto", package="conformance.geo", syntax="proto3")
    place = file.message_type.add(name="Place")
    place.field.extend([_field("city", 1, _Field.TYPE_STRING), _field("height", 2, _Field.TYPE_DOUBLE)])
    return file


def _shop(name: str, with_note: bool) -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name=name, package="conformance.shop", syntax="proto3")
    file.dependency.append("conformance/geo.proto")
    # The first message is not the one that is sent: its index in the file stands before the record.
    file.message_type.add(name="Unused").field.append(_field("a", 1, _Field.TYPE_INT32))
    order = file.message_type.add(name="Order")
    line = order.nested_type.add(name="Line")
    line.field.extend([_field("item", 1, _Field.TYPE_STRING), _field("count", 2, _Field.TYPE_INT32)])
    order.field.extend(
        [
            _field("id", 1, _Field.TYPE_INT64),
            _field("place", 2, _Field.TYPE_MESSAGE, ".conformance.geo.Place"),
            _field("lines", 3, _Field.TYPE_MESSAGE, ".conformance.shop.Order.Line", _Field.LABEL_REPEATED),
        ]
    )
    if with_note:
        order.field.append(_field("note", 4, _Field.TYPE_STRING))
    return file


def _classes(with_note: bool) -> dict[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.Add(_geo())
    pool.Add(_shop("conformance/shop.proto", with_note))
    names = ("conformance.shop.Order", "conformance.shop.Order.Line", "conformance.geo.Place")
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names}


_FIRST, _NEXT = _classes(with_note=False), _classes(with_note=True)
Order, Line, Place = (_FIRST[f"conformance.{name}"] for name in ("shop.Order", "shop.Order.Line", "geo.Place"))
NextOrder = _NEXT["conformance.shop.Order"]
