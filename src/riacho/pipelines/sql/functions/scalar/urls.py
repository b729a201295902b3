"""Functions of URLs, as java.net.URI takes them apart."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.functions.function import Argument, Example, Function, Parameter, Signature, sql
from riacho.pipelines.sql.functions.scalar.python_arguments import computed_before
from riacho.pipelines.sql.types import INTEGER, STRING

CATEGORY = "URL"
_URL = Parameter("input", STRING, "A URL.")


def _decoded(part: str) -> str:
    """Escapes as what they stand for; a plus is a plus in a URI, other than in a form."""
    return f"try_url_decode(replace({part}, '+', '%2B'))"


def _parameter(arguments: Sequence[Argument]) -> str:
    url, name = arguments[0].text, arguments[1].text
    query = f"parse_url({url}, 'QUERY')"
    pairs = f"split({_decoded(query)}, '&', -1)"
    # The first pair with the name; null where it has no value.
    first = f"element_at(filter({pairs}, _pair -> substring_index(_pair, '=', 1) = {name}), 1)"
    return let(first, lambda pair: f"IF({pair} LIKE '%=%', substring({pair}, instr({pair}, '=') + 1), NULL)")


_PORT = "regexp_extract(parse_url({0}, 'AUTHORITY'), ':([0-9]+)$', 1)"

FUNCTIONS: tuple[Function, ...] = (
    Function(
        "URL_DECODE_PARAM",
        CATEGORY,
        "The text of a parameter that was encoded for a URL.",
        (Signature((Parameter("input", STRING),), STRING, sql("try_url_decode({0})")),),
        (
            Example("URL_DECODE_PARAM('url%20encoded')", "url encoded"),
            Example("URL_DECODE_PARAM('%3Ffoo+%24bar')", "?foo $bar"),
            Example("URL_DECODE_PARAM('%zz')", None),
        ),
    ),
    Function(
        "URL_ENCODE_PARAM",
        CATEGORY,
        "A text as a parameter of a URL.",
        (Signature((Parameter("input", STRING),), STRING, sql("url_encode({0})")),),
        (
            Example("URL_ENCODE_PARAM('?foo $bar')", "%3Ffoo+%24bar"),
            Example("URL_ENCODE_PARAM('a.b-c*d_e')", "a.b-c*d_e"),
            Example("URL_ENCODE_PARAM(CAST(NULL AS STRING))", None),
        ),
    ),
    Function(
        "URL_EXTRACT_FRAGMENT",
        CATEGORY,
        "What follows the # of a URL, decoded.",
        (Signature((_URL,), STRING, sql(_decoded("parse_url({0}, 'REF')"))),),
        (
            Example("URL_EXTRACT_FRAGMENT('http://test.com#frag')", "frag"),
            Example("URL_EXTRACT_FRAGMENT('http://test.com#frag%20space')", "frag space"),
            Example("URL_EXTRACT_FRAGMENT('http://test.com')", None),
        ),
    ),
    Function(
        "URL_EXTRACT_HOST",
        CATEGORY,
        "The host of a URL.",
        (Signature((_URL,), STRING, sql("parse_url({0}, 'HOST')")),),
        (
            Example("URL_EXTRACT_HOST('http://test.com:8080/path')", "test.com"),
            Example("URL_EXTRACT_HOST('http://not a url')", None),
        ),
    ),
    Function(
        "URL_EXTRACT_PARAMETER",
        CATEGORY,
        "The value of a parameter in a URL's query, decoded.",
        (Signature((_URL, Parameter("param", STRING)), STRING, computed_before(_parameter)),),
        (
            Example("URL_EXTRACT_PARAMETER('http://test.com?a%20b=c%20d', 'a b')", "c d"),
            Example("URL_EXTRACT_PARAMETER('http://test.com?a=foo&b=bar=2', 'b')", "bar=2"),
            Example("URL_EXTRACT_PARAMETER('http://test.com?a=foo&b', 'b')", None),
            Example("URL_EXTRACT_PARAMETER('http://test.com?a=', 'a')", ""),
            Example("URL_EXTRACT_PARAMETER('http://test.com?a=foo', 'c')", None),
        ),
    ),
    Function(
        "URL_EXTRACT_PATH",
        CATEGORY,
        "The path of a URL, decoded; empty where it has none.",
        (Signature((_URL,), STRING, sql(_decoded("parse_url({0}, 'PATH')"))),),
        (
            Example("URL_EXTRACT_PATH('http://test.com/path/to%20x#a')", "/path/to x"),
            Example("URL_EXTRACT_PATH('http://test.com')", ""),
            Example("URL_EXTRACT_PATH('http://not a url')", None),
        ),
    ),
    Function(
        "URL_EXTRACT_PORT",
        CATEGORY,
        "The port of a URL, where it names one.",
        (
            Signature(
                (_URL,), INTEGER, sql(f"IF(parse_url({{0}}, 'HOST') IS NULL, NULL, CAST(nullif({_PORT}, '') AS INT))")
            ),
        ),
        (
            Example("URL_EXTRACT_PORT('http://localhost:8080/path')", 8080),
            Example("URL_EXTRACT_PORT('http://localhost/path')", None),
        ),
    ),
    Function(
        "URL_EXTRACT_PROTOCOL",
        CATEGORY,
        "The protocol of a URL.",
        (Signature((_URL,), STRING, sql("parse_url({0}, 'PROTOCOL')")),),
        (
            Example("URL_EXTRACT_PROTOCOL('http://test.com?a=foo&b=bar')", "http"),
            Example("URL_EXTRACT_PROTOCOL('///foo')", None),
        ),
    ),
    Function(
        "URL_EXTRACT_QUERY",
        CATEGORY,
        "What follows the ? of a URL, decoded.",
        (Signature((_URL,), STRING, sql(_decoded("parse_url({0}, 'QUERY')"))),),
        (
            Example("URL_EXTRACT_QUERY('http://test.com?a=foo%20bar&b=baz')", "a=foo bar&b=baz"),
            Example("URL_EXTRACT_QUERY('http://test.com?a=1+1')", "a=1+1"),
            Example("URL_EXTRACT_QUERY('http://test.com')", None),
        ),
    ),
)
