"""Whose credentials are known: nobody's before the metadata are there, tokens' only where there is a secret."""

from __future__ import annotations

import msgspec

from riacho.base.scram import ScramMechanism, scram_credential
from riacho.broker.access.credential_provider import CredentialProvider
from riacho.broker.config import BrokerConfig
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.delegation_tokens import DelegationToken
from riacho.metadata.image.image import MetadataImage

SHA256 = ScramMechanism.SCRAM_SHA_256
BOB = scram_credential(SHA256, "pw", b"salt", 4096)
TOKEN = DelegationToken("t1", "User:bob", "User:bob", (), 0, 1 << 60, 5_000)


def metadata() -> MetadataCache:
    image = MetadataImage(scram_credentials={("bob", SHA256): BOB}, delegation_tokens={"t1": TOKEN})
    return MetadataCache(BrokerConfig(), image)


def test_nobody_is_known_before_the_metadata_are() -> None:
    provider = CredentialProvider("secret")
    assert provider.user(SHA256, "bob") is None
    assert provider.token(SHA256, "t1") is None
    provider.follow(metadata())
    user, token = provider.user(SHA256, "bob"), provider.token(SHA256, "t1")
    assert user is not None
    assert (user.credential, user.owner) == (BOB, "bob")
    assert token is not None
    assert (token.owner, token.expiry_ms) == ("bob", 5_000)


def test_a_changed_image_counts_at_once() -> None:
    cache, provider = metadata(), CredentialProvider("secret")
    provider.follow(cache)
    cache.publish(msgspec.structs.replace(cache.image, scram_credentials={}, delegation_tokens={}))
    assert provider.user(SHA256, "bob") is None
    assert provider.token(SHA256, "t1") is None


def test_without_a_secret_no_token_is_known() -> None:
    provider = CredentialProvider(None)
    provider.follow(metadata())
    assert provider.token(SHA256, "t1") is None
    assert provider.user(SHA256, "bob") is not None
