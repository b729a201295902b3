"""Filters, what can be told of matches by their bytes, and masks that filters cannot look behind."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.console.door.masking import HIDDEN, Masker, masking_of
from riacho.console.door.roles import Role
from riacho.console.messages.decode import Decoder
from riacho.console.messages.filters import FilterError, Needles, parse_filter
from riacho.console.messages.record_slices import keys_of, may_be, may_match, values_of
from riacho.console.messages.row import View
from riacho.wire.records import Record, encode_records
from support.message_rows import row

CARD = b'{"id": 1, "card": {"number": "4111111111111111"}}'


@pytest.fixture
def masker() -> Masker:
    rules = {"rules": "cards", "cards.field": "$.card.number"}
    found = masking_of(rules, b"salt").of("payments", Role.VIEWER)
    assert found is not None
    return found


def test_texts_are_sought_in_what_is_shown() -> None:
    found = row(b'{"a": "x y"}', b"order-1", [("trace", b"abc"), ("none", None)])
    assert parse_filter(key="er-1", value='"a": "x', header="abc").matches(found)
    assert not parse_filter(key="order-2").matches(found)
    assert not parse_filter(value="z").matches(found)
    assert parse_filter(header="trace").matches(found)
    assert parse_filter(header="trace=b").matches(found)
    assert not parse_filter(header="other=b").matches(found)
    assert not parse_filter(key="x").matches(row(None, None))
    assert parse_filter(key="00ff").matches(row(None, b"\x00\xff"))


def test_fields_are_compared_as_text_or_json() -> None:
    found = row(b'{"a": {"b": [1, "two", null, true]}, "c d": 1.5}')
    for field in ("$.a.b[0]=1", "$.a.b[1]=two", "$.a.b[2]=null", "$.a.b[3]=true", '$["c d"]=1.5', "$.a['b'][1]=two"):
        assert parse_filter(fields=[field]).matches(found), field
    assert not parse_filter(fields=["$.a.b[1]=one"]).matches(found)
    assert not parse_filter(fields=["$.a.b[1]=two", "$.x=1"]).matches(found)
    assert not parse_filter(fields=["$.a=1"]).matches(row(b"text"))


@pytest.mark.parametrize("field", ["", "a=1", "$.a", "$=1", "$..a=1", "$.a[x]=1", "$.a[]=1"])
def test_a_field_that_is_none_is_refused(field: str) -> None:
    with pytest.raises(FilterError, match=r"\$\.a\.b=x"):
        parse_filter(fields=[field])


def test_what_is_too_long_is_refused() -> None:
    for told in ({"key": "x" * 4001}, {"fields": ["$.a=" + "x" * 4000]}, {"fields": ["$.a=1"] * 21}):
        with pytest.raises(FilterError, match="more than"):
            parse_filter(**told)  # type: ignore[arg-type]


def test_a_mask_cannot_be_looked_behind(masker: Masker) -> None:
    found = row(CARD, masker=masker)
    assert found.value.tree == {"id": 1, "card": {"number": HIDDEN}}
    assert "4111" not in (found.value.text or "")
    for filter in (
        parse_filter(value="4111"),
        parse_filter(fields=["$.card.number=4111111111111111"]),
        parse_filter(where='value.card.number startswith "4"'),
        parse_filter(where='value contains "4111"'),
        parse_filter(where="size(value.card.number) == 16"),
        parse_filter(where='value.card.number matches "^4"'),
    ):
        assert not filter.matches(found)
    assert parse_filter(value=HIDDEN).matches(found)


@pytest.mark.parametrize("format", ["hex", "base64", "text", "json", "msgpack", "long"])
def test_no_format_shows_what_a_mask_hides(masker: Masker, format: str) -> None:
    for raw in (CARD, b"4111111111111111", b"\xff" + CARD):
        message = row(raw, masker=masker, value_format=format).whole()
        assert "4111" not in (message.value or "")
        assert raw.hex() not in (message.value or "")
        assert message.value_decoded.reason is None


def test_with_a_mask_bytes_are_not_searched(masker: Masker) -> None:
    filter = parse_filter(value=HIDDEN, where='value.a == "x" and key == "k"')
    assert filter.needles(View(Decoder(None))) == Needles((b"k",), (HIDDEN.encode(), b"x"))
    assert filter.needles(View(Decoder(None), masker=masker)) == Needles((b"k",), ())
    assert filter.needles(View(Decoder(None), "hex", "avro")) == Needles((), ())


def test_headers_are_masked_too() -> None:
    found = masking_of({"rules": "t", "t.field": "header:token", "t.mode": "last4"}, b"s").of("x", Role.ADMIN)
    shown = row(None, None, [("Token", b"abcdefgh1234"), ("other", b"1")], masker=found)
    assert shown.headers == [("Token", HIDDEN + "1234"), ("other", "1")]
    assert not parse_filter(header="abcdefgh").matches(shown)


def test_a_text_like_a_number_is_not_sought_in_bytes_of_fields() -> None:
    filter = parse_filter(where='value.id == "100" and key == "100"')
    assert filter.needles(View(Decoder(None))) == Needles((b"100",), ())
    assert filter.matches(row(b'{"id": 1e2}', b"100"))


PARTS = st.one_of(
    st.none(),
    st.sampled_from([b"", b"abc", b"xabcx", b'{"a": "abc"}', b'{"a":"\\u0061bc"}', b"\x00\x00\x00\x00\x01abc",
                     b"\x81\xa1a\x01", "é abc".encode(), "é".encode(), b"ab\nc", b"a\\bc", b'["abc"]', b"6162",
                     b"\xff\xfe"]),
    st.binary(max_size=20),
    st.text(max_size=20).map(str.encode),
)  # fmt: skip
SEARCHES = st.one_of(
    st.fixed_dictionaries({}, optional={"key": st.sampled_from(["abc", "a", "é", "\\", "ff", "0", "\n"]),
                                        "value": st.sampled_from(["abc", '"a"', "1", "ff"])}),
    st.sampled_from(['key == "abc"', 'key startswith "a"', 'value.a == "abc"', 'value.a endswith "c"', 'value == "abc"',
                     'value.a == "1"', 'key endswith "c" and value contains "a"']).map(lambda text: {"where": text}),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(PARTS, PARTS), max_size=6), SEARCHES, st.sampled_from(["auto", "text", "json"]))
def test_what_bytes_rule_out_does_not_match(
    records: list[tuple[bytes | None, bytes | None]], search: dict[str, str], format: str
) -> None:
    """The short cut finds what the long way finds."""
    filter = parse_filter(**search)  # type: ignore[arg-type]
    needles = filter.needles(View(Decoder(None), format, format))
    matching = [filter.matches(row(value, key, key_format=format, value_format=format)) for key, value in records]
    made = [Record(index, 0, key, value) for index, (key, value) in enumerate(records)]
    if any(matching):
        assert may_match(encode_records(made), len(made), needles)
    for record, matches in zip(made, matching, strict=True):
        assert may_be(record, needles) or not matches


@given(st.lists(st.tuples(PARTS, PARTS, st.integers(-(2**40), 2**40), st.integers(0, 2**31 - 1)), max_size=5))
def test_slices_are_the_keys_and_values(records: list[tuple[bytes | None, bytes | None, int, int]]) -> None:
    made = [Record(offset, at, key, value, [("h", b"v")]) for key, value, at, offset in records]
    data = encode_records(made)
    assert keys_of(data, len(made)) == [record.key for record in made if record.key is not None]
    assert values_of(data, len(made)) == [record.value for record in made if record.value is not None]


@given(st.binary(max_size=100), st.integers(0, 10))
def test_broken_records_are_left_to_who_decodes_them(data: bytes, count: int) -> None:
    assert may_match(data, count, Needles((b"a",), (b"b",))) in (True, False)
