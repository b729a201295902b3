from __future__ import annotations

import pytest

from riacho.base.config import (
    ConfigError,
    ConfigType,
    ServerKey,
    at_least,
    between,
    java_double_text,
    list_of,
    non_empty,
    one_of,
    one_of_any_case,
    parse_properties,
    properties_from_environment,
)


def key(kind: ConfigType, valid: object = None) -> ServerKey:
    return ServerKey("some.key", kind, None, "A key.", valid)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (ConfigType.BOOLEAN, " TRUE ", True),
        (ConfigType.BOOLEAN, "false", False),
        (ConfigType.INT, " +7 ", 7),
        (ConfigType.INT, "-2147483648", -(1 << 31)),
        (ConfigType.SHORT, "32767", 32767),
        (ConfigType.LONG, "9223372036854775807", (1 << 63) - 1),
        (ConfigType.DOUBLE, "0.5", 0.5),
        (ConfigType.LIST, " a , b,c ", ["a", "b", "c"]),
        (ConfigType.LIST, "  ", []),
        (ConfigType.STRING, " text ", "text"),
        (ConfigType.CLASS, " a.B ", "a.B"),
        (ConfigType.PASSWORD, " secret ", " secret "),
    ],
)
def test_values_are_parsed_by_type(kind: ConfigType, text: str, value: object) -> None:
    assert key(kind).parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        (ConfigType.INT, "2147483648", "Invalid value 2147483648 for configuration some.key: Not a number of type INT"),
        (ConfigType.INT, "1.0", "Invalid value 1.0 for configuration some.key: Not a number of type INT"),
        (ConfigType.INT, "", "Invalid value  for configuration some.key: Not a number of type INT"),
        (ConfigType.SHORT, "32768", "Invalid value 32768 for configuration some.key: Not a number of type SHORT"),
        (ConfigType.LONG, "x", "Invalid value x for configuration some.key: Not a number of type LONG"),
        (ConfigType.DOUBLE, "x", "Invalid value x for configuration some.key: Not a number of type DOUBLE"),
        (
            ConfigType.BOOLEAN,
            "yes",
            "Invalid value yes for configuration some.key: Expected value to be either true or false",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_named(kind: ConfigType, text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        key(kind).parse(text)
    assert str(raised.value) == problem


@pytest.mark.parametrize(
    ("kind", "valid", "text", "problem"),
    [
        (ConfigType.INT, at_least(1), "0", "Invalid value 0 for configuration some.key: Value must be at least 1"),
        (
            ConfigType.INT,
            between(0, 9),
            "10",
            "Invalid value 10 for configuration some.key: Value must be no more than 9",
        ),
        (
            ConfigType.DOUBLE,
            between(0, 1),
            "2",
            "Invalid value 2.0 for configuration some.key: Value must be no more than 1",
        ),
        (
            ConfigType.STRING,
            one_of("a", "b"),
            "c",
            "Invalid value c for configuration some.key: String must be one of: a, b",
        ),
        (
            ConfigType.STRING,
            one_of_any_case("A", "B"),
            "c",
            "Invalid value c for configuration some.key: String must be one of (case insensitive): A, B",
        ),
        (ConfigType.STRING, non_empty, "", "Invalid value  for configuration some.key: String must be non-empty"),
        (ConfigType.LIST, list_of("a", "b"), "a,a", "Configuration 'some.key' values must not be duplicated."),
        (ConfigType.LIST, list_of("a", "b"), "a,,b", "Configuration 'some.key' values must not be empty."),
        (
            ConfigType.LIST,
            list_of("a", "b"),
            "a,c",
            "Invalid value c for configuration some.key: String must be one of: a, b",
        ),
        (
            ConfigType.LIST,
            list_of("a", empty=False),
            "",
            "Configuration 'some.key' must not be empty. Valid values include: [a]",
        ),
    ],
)
def test_a_value_that_is_not_allowed_says_why(kind: ConfigType, valid: object, text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        key(kind, valid).parse(text)
    assert str(raised.value) == problem


def test_case_does_not_matter_where_it_should_not() -> None:
    assert key(ConfigType.STRING, one_of_any_case("UPGRADE")).parse("uPgrade") == "uPgrade"


def test_text_comes_back_the_way_kafka_prints_it() -> None:
    assert key(ConfigType.LONG).normalize(" +77 ") == "77"
    assert key(ConfigType.BOOLEAN).normalize("TRUE") == "true"
    assert key(ConfigType.LIST).normalize("a , b") == "a,b"
    assert key(ConfigType.DOUBLE).normalize("1") == "1.0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (0.05, "0.05"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-12345678.5, "-1.23456785E7"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
    ],
)
def test_doubles_are_printed_as_java_does(value: float, text: str) -> None:
    assert java_double_text(value) == text


def test_properties_with_every_escape() -> None:
    text = "\n".join(
        [
            "# comment = no",
            "  ! nor = this",
            "plain=value",
            "  spaced  =  value with spaces ",
            "colon: yes",
            "bare value",
            "nothing",
            "long=one,\\",
            "     two,\\",
            "     three",
            r"escaped\ key\:x=tab\there \u0041 back\\slash",
            r"even=ends with backslash\\",
            "last=1",
        ]
    )
    assert parse_properties(text) == {
        "plain": "value",
        "spaced": "value with spaces ",
        "colon": "yes",
        "bare": "value",
        "nothing": "",
        "long": "one,two,three",
        "escaped key:x": "tab\there A back\\slash",
        "even": "ends with backslash\\",
        "last": "1",
    }


def test_the_last_of_two_equal_properties_rules_and_any_line_end_will_do() -> None:
    assert parse_properties("a=1\r\na=2\rb=3\n") == {"a": "2", "b": "3"}


def test_a_comment_in_a_continuation_is_text() -> None:
    assert parse_properties("a=1,\\\n#2") == {"a": "1,#2"}


def test_environment_variables_are_settings() -> None:
    environment = {
        "KAFKA_LOG_RETENTION_MS": "1",
        "KAFKA_LISTENER_NAME_A__B_SSL_KEY_PASSWORD": "2",
        "KAFKA_SOME___DASH": "3",
        "PATH": "/bin",
        "KAFKA_": "nothing",
    }
    assert properties_from_environment(environment) == {
        "log.retention.ms": "1",
        "listener.name.a_b.ssl.key.password": "2",
        "some-dash": "3",
    }


@pytest.mark.parametrize("name", ["KAFKA_OPTS", "KAFKA_HEAP_OPTS", "KAFKA_LOG4J_ROOT_LOGLEVEL", "KAFKA_JMX_PORT"])
def test_what_the_images_start_scripts_read_is_no_setting(name: str) -> None:
    assert properties_from_environment({name: "x"}) == {}
