"""What this project's own client is asked by the proxy: which logins it knows, and how its failures are told."""

from __future__ import annotations

import asyncio

import pytest

from riacho.rest_proxy.admin import Admin
from riacho.rest_proxy.own_client import OwnClient
from riacho.web.errors import ApiError
from support.ports import free_port


def test_brokers_that_are_not_there_are_told() -> None:
    own = OwnClient({"bootstrap.servers": f"127.0.0.1:{free_port()}"}, timeout_s=1.0)
    try:
        with pytest.raises(ApiError) as caught:
            asyncio.run(own.ask(lambda cluster: cluster.live_brokers()))
        assert (caught.value.status, caught.value.error_code) == (503, 50302)
    finally:
        own.close()


@pytest.mark.parametrize(
    ("settings", "known"),
    [
        ({"security.protocol": "SASL_PLAINTEXT", "sasl.mechanisms": "PLAIN", "sasl.username": "u"}, False),
        (
            {
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanisms": "PLAIN",
                "sasl.username": "u",
                "sasl.password": "p",
            },
            True,
        ),
        ({"security.protocol": "SASL_PLAINTEXT", "sasl.mechanisms": "GSSAPI"}, False),
        ({}, True),
    ],
)
def test_logins_of_the_own_client(settings: dict[str, str], known: bool) -> None:
    own = OwnClient({"bootstrap.servers": "127.0.0.1:9092", **settings}, timeout_s=1.0)
    assert own.knows_login is known
    own.close()


def test_what_only_the_own_client_can_do_is_refused_for_other_logins() -> None:
    async def ask() -> None:
        kerberos = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanisms": "GSSAPI"}
        admin = Admin({"bootstrap.servers": "127.0.0.1:9092"})
        admin._own = OwnClient({"bootstrap.servers": "127.0.0.1:9092", **kerberos}, timeout_s=1.0)
        try:
            for asked in (admin.reassignments(), admin.alter_cluster_configs({"log.cleaner.threads": "2"})):
                with pytest.raises(ApiError) as caught:
                    await asked
                assert (caught.value.status, caught.value.error_code) == (400, 40002)
        finally:
            await admin.close()

    asyncio.run(ask())
