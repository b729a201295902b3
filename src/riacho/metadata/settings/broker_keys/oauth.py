"""Broker settings: OAUTHBEARER logins."""

from __future__ import annotations

from riacho.base.config import ConfigType, Importance, ServerKey, between, list_of, one_of_any_case
from riacho.base.config_effect import NoEffect, Restricted

BOOLEAN = ConfigType.BOOLEAN
CLASS = ConfigType.CLASS
INT = ConfigType.INT
LIST = ConfigType.LIST
LONG = ConfigType.LONG
PASSWORD = ConfigType.PASSWORD
STRING = ConfigType.STRING
HIGH = Importance.HIGH
LOW = Importance.LOW

# fmt: off
NO_ASSERTION = NoEffect("tokens are had by client id and secret, not by assertions")
VALIDATORS = ("org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator",
              "org.apache.kafka.common.security.oauthbearer.BrokerJwtValidator")
RETRIEVERS = ("org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever",
              "org.apache.kafka.common.security.oauthbearer.ClientCredentialsJwtRetriever",
              "org.apache.kafka.common.security.oauthbearer.FileJwtRetriever")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("sasl.oauthbearer.assertion.algorithm", STRING, "RS256",
              "Algorithm that signs the assertion for the token endpoint.", one_of_any_case("ES256", "RS256"),
              effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.claim.aud", STRING, None, "Audience claim of the assertion.",
              effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.claim.exp.seconds", INT, "300",
              "Time that the assertion is valid.", between(0, 86400), importance=LOW, effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.claim.iss", STRING, None, "Issuer claim of the assertion.",
              effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.claim.jti.include", BOOLEAN, "false",
              "Whether the assertion carries an identifier of its own.", effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.claim.nbf.seconds", INT, "60",
              "How far back the assertion's start of validity is set.", between(0, 3600), importance=LOW,
              effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.claim.sub", STRING, None, "Subject claim of the assertion.",
              effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.file", STRING, None, "File with a ready-made assertion.",
              effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.private.key.file", STRING, None, "Private key that signs the assertion.",
              effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.private.key.passphrase", PASSWORD, None, "Passphrase of that key.",
              effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.assertion.template.file", STRING, None,
              "File with more headers and claims of the assertion.", effect=NO_ASSERTION),
    ServerKey("sasl.oauthbearer.client.credentials.client.id", STRING, None,
              "Client id for the client credentials grant."),
    ServerKey("sasl.oauthbearer.client.credentials.client.secret", PASSWORD, None,
              "Client secret for the client credentials grant."),
    ServerKey("sasl.oauthbearer.clock.skew.seconds", INT, "30",
              "Difference of clocks allowed when a token is checked.", importance=LOW),
    ServerKey("sasl.oauthbearer.expected.audience", LIST, "",
              "Audiences of which a token must name one.", list_of(), importance=HIGH),
    ServerKey("sasl.oauthbearer.expected.issuer", STRING, None, "Issuer that a token must name.", importance=HIGH),
    ServerKey("sasl.oauthbearer.jwks.endpoint.refresh.ms", LONG, "3600000",
              "How often the provider's keys are fetched.", importance=LOW),
    ServerKey("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", LONG, "10000",
              "Longest pause between tries to fetch the keys.", importance=LOW),
    ServerKey("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", LONG, "100",
              "First pause between tries to fetch the keys.", importance=LOW),
    ServerKey("sasl.oauthbearer.jwks.endpoint.url", STRING, None, "Where the provider's keys are."),
    ServerKey("sasl.oauthbearer.jwt.retriever.class", CLASS,
              "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever",
              "Class that gets a token.",
              effect=Restricted("other classes are not loaded; leave it out, set sasl.oauthbearer.token.endpoint.url",
                                RETRIEVERS)),
    ServerKey("sasl.oauthbearer.jwt.validator.class", CLASS,
              "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator",
              "Class that checks a token.",
              effect=Restricted("other classes are not loaded; leave it out, set sasl.oauthbearer.jwks.endpoint.url",
                                VALIDATORS)),
    ServerKey("sasl.oauthbearer.scope", STRING, None, "Scope asked for at the token endpoint."),
    ServerKey("sasl.oauthbearer.scope.claim.name", STRING, "scope", "Claim that holds the scope.", importance=LOW),
    ServerKey("sasl.oauthbearer.sub.claim.name", STRING, "sub", "Claim that holds the subject.", importance=LOW),
    ServerKey("sasl.oauthbearer.token.endpoint.url", STRING, None, "Where tokens are issued."),
)
# fmt: on
