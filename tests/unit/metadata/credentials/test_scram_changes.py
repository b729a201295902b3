from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.base.scram import ScramMechanism, salted_password, scram_credential
from riacho.metadata.credentials.scram_changes import decide_alter_scram_credentials
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)

SHA256, SHA512 = ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512


def upsertion(user: str, mechanism: int = SHA256, iterations: int = 4096) -> ScramCredentialUpsertion:
    salted = salted_password(SHA256, b"secret", b"salt", 4096)
    return ScramCredentialUpsertion(
        name=user, mechanism=mechanism, iterations=iterations, salt=b"salt", salted_password=salted
    )


def altered(
    image: MetadataImage, *changes: ScramCredentialDeletion | ScramCredentialUpsertion
) -> tuple[MetadataImage, dict[str, int]]:
    request = AlterUserScramCredentialsRequest(
        deletions=[change for change in changes if isinstance(change, ScramCredentialDeletion)],
        upsertions=[change for change in changes if isinstance(change, ScramCredentialUpsertion)],
    )
    decision = decide_alter_scram_credentials(image, request)
    return image.apply(decision.records), {result.user: result.error_code for result in decision.reply.results}


def test_what_is_kept_of_a_password() -> None:
    image, codes = altered(MetadataImage(), upsertion("bob"))
    assert codes == {"bob": 0}
    assert image.scram_credentials == {("bob", SHA256): scram_credential(SHA256, "secret", b"salt", 4096)}
    assert MetadataImage().apply(image.to_records()).scram_credentials == image.scram_credentials


def test_a_credential_is_replaced_and_forgotten() -> None:
    image, _ = altered(MetadataImage(), upsertion("bob"))
    image, _ = altered(image, upsertion("bob", iterations=8192))
    assert image.scram_credentials["bob", SHA256].iterations == 8192
    image, codes = altered(image, ScramCredentialDeletion(name="bob", mechanism=SHA256))
    assert codes == {"bob": 0}
    assert image.scram_credentials == {}


def test_each_user_gets_an_answer_of_its_own() -> None:
    image, codes = altered(
        MetadataImage(),
        ScramCredentialDeletion(name="ann", mechanism=SHA256),
        upsertion("bob"),
        upsertion("few", iterations=4095),
        upsertion("many", iterations=16385),
        upsertion("odd", mechanism=3),
        upsertion(""),
    )
    assert codes == {
        "ann": ErrorCode.RESOURCE_NOT_FOUND,
        "bob": 0,
        "few": ErrorCode.UNACCEPTABLE_CREDENTIAL,
        "many": ErrorCode.UNACCEPTABLE_CREDENTIAL,
        "odd": ErrorCode.UNSUPPORTED_SASL_MECHANISM,
        "": ErrorCode.UNACCEPTABLE_CREDENTIAL,
    }
    assert list(image.scram_credentials) == [("bob", SHA256)]


def test_a_credential_twice_in_one_request_is_not_changed() -> None:
    image, codes = altered(MetadataImage(), upsertion("bob"), upsertion("bob"))
    assert codes == {"bob": ErrorCode.DUPLICATE_RESOURCE}
    assert image.scram_credentials == {}
