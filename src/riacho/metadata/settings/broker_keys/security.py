"""Broker settings: logins, authorization, delegation tokens, Kerberos."""

from __future__ import annotations

from riacho.base.config import ConfigType, Dynamic, Importance, ServerKey, at_least, list_of, one_of
from riacho.base.config_effect import READ_AT_START, NoEffect, Restricted

CLASS = ConfigType.CLASS
DOUBLE = ConfigType.DOUBLE
INT = ConfigType.INT
LIST = ConfigType.LIST
LONG = ConfigType.LONG
PASSWORD = ConfigType.PASSWORD
SHORT = ConfigType.SHORT
STRING = ConfigType.STRING
HIGH = Importance.HIGH
LOW = Importance.LOW
CLUSTER_WIDE = Dynamic.CLUSTER_WIDE
PER_BROKER = Dynamic.PER_BROKER

# fmt: off
NO_KERBEROS = NoEffect("there is no Kerberos")
LOGIN_REFRESH = NoEffect("a token is replaced after 80 % of its life, other logins do not end")
NO_LOGIN_CLASS = "classes are not loaded; leave it out and give the login in sasl.jaas.config"
SECURITY = "org.apache.kafka.common.security"
STANDARD_AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"

KEYS: tuple[ServerKey, ...] = (
    ServerKey("authorizer.class.name", STRING, "",
              "Class that decides who may do what; empty allows everything.", importance=LOW,
              effect=Restricted(f"other classes are not loaded; set {STANDARD_AUTHORIZER} and give rights by ACLs",
                                (STANDARD_AUTHORIZER,))),
    ServerKey("config.providers", LIST, "",
              "Providers that fill in settings written as references.",
              list_of(), importance=LOW, dynamic=CLUSTER_WIDE,
              effect=READ_AT_START),
    ServerKey("connection.failed.authentication.delay.ms", INT, "100",
              "Wait before a connection that failed to log in is closed.", at_least(0), importance=LOW),
    ServerKey("connections.max.reauth.ms", LONG, "0", "Time after which a client must log in again; 0 for never."),
    ServerKey("delegation.token.expiry.check.interval.ms", LONG, "3600000",
              "How often expired delegation tokens are looked for.", at_least(1), importance=LOW),
    ServerKey("delegation.token.expiry.time.ms", LONG, "86400000",
              "Time that a delegation token lasts unless it is renewed.", at_least(1)),
    ServerKey("delegation.token.max.lifetime.ms", LONG, "604800000",
              "Time after which a delegation token cannot be renewed any more.", at_least(1)),
    ServerKey("delegation.token.secret.key", PASSWORD, None,
              "Secret that signs delegation tokens; the same on every node."),
    ServerKey("principal.builder.class", CLASS,
              "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder",
              "Class that names the client after it logged in.", dynamic=PER_BROKER,
              effect=Restricted(
                  "other classes are not loaded; leave it out and set ssl.principal.mapping.rules",
                  (f"{SECURITY}.authenticator.DefaultKafkaPrincipalBuilder",))),
    ServerKey("sasl.client.callback.handler.class", CLASS, None, "Callback handler of outgoing SASL logins.",
              effect=Restricted(NO_LOGIN_CLASS, (
                  f"{SECURITY}.authenticator.SaslClientCallbackHandler",
                  f"{SECURITY}.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler"))),
    ServerKey("sasl.enabled.mechanisms", LIST, "GSSAPI",
              "SASL mechanisms offered: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER.",
              list_of(), dynamic=PER_BROKER),
    ServerKey("sasl.jaas.config", PASSWORD, None, "Login settings of a mechanism, in JAAS form.", dynamic=PER_BROKER),
    ServerKey("sasl.kerberos.kinit.cmd", STRING, "/usr/bin/kinit",
              "Path of the Kerberos kinit command.", dynamic=PER_BROKER, effect=NO_KERBEROS),
    ServerKey("sasl.kerberos.min.time.before.relogin", LONG, "60000",
              "Shortest time between two Kerberos logins.", dynamic=PER_BROKER, effect=NO_KERBEROS),
    ServerKey("sasl.kerberos.principal.to.local.rules", LIST, "DEFAULT",
              "Rules that turn Kerberos principals into short names.", list_of(), dynamic=PER_BROKER,
              effect=NO_KERBEROS),
    ServerKey("sasl.kerberos.service.name", STRING, None, "Kerberos name of the service.", dynamic=PER_BROKER,
              effect=NO_KERBEROS),
    ServerKey("sasl.kerberos.ticket.renew.jitter", DOUBLE, "0.05",
              "Random share added to the renewal time of a ticket.", dynamic=PER_BROKER, effect=NO_KERBEROS),
    ServerKey("sasl.kerberos.ticket.renew.window.factor", DOUBLE, "0.8",
              "Share of a ticket's life after which it is renewed.", dynamic=PER_BROKER, effect=NO_KERBEROS),
    ServerKey("sasl.login.callback.handler.class", CLASS, None, "Callback handler of the login itself.",
              effect=Restricted(NO_LOGIN_CLASS, (
                  f"{SECURITY}.oauthbearer.OAuthBearerLoginCallbackHandler",
                  f"{SECURITY}.oauthbearer.secured.OAuthBearerLoginCallbackHandler",
                  f"{SECURITY}.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler"))),
    ServerKey("sasl.login.class", CLASS, None, "Class that does the login.",
              effect=Restricted(NO_LOGIN_CLASS, (
                  f"{SECURITY}.authenticator.DefaultLogin",
                  f"{SECURITY}.oauthbearer.internals.OAuthBearerRefreshingLogin"))),
    ServerKey("sasl.login.connect.timeout.ms", INT, None,
              "Longest wait to connect to an identity provider.", importance=LOW),
    ServerKey("sasl.login.read.timeout.ms", INT, None,
              "Longest wait to read from an identity provider.", importance=LOW,
              effect=NoEffect("`sasl.login.connect.timeout.ms` bounds reading too")),
    ServerKey("sasl.login.refresh.buffer.seconds", SHORT, "300",
              "Time before its end at which a credential is fresh at the latest.", dynamic=PER_BROKER,
              effect=LOGIN_REFRESH),
    ServerKey("sasl.login.refresh.min.period.seconds", SHORT, "60",
              "Shortest time that a credential is kept before it is refreshed.", dynamic=PER_BROKER,
              effect=LOGIN_REFRESH),
    ServerKey("sasl.login.refresh.window.factor", DOUBLE, "0.8",
              "Share of a credential's life after which it is refreshed.", dynamic=PER_BROKER, effect=LOGIN_REFRESH),
    ServerKey("sasl.login.refresh.window.jitter", DOUBLE, "0.05",
              "Random share added to that time.", dynamic=PER_BROKER, effect=LOGIN_REFRESH),
    ServerKey("sasl.login.retry.backoff.max.ms", LONG, "10000",
              "Longest pause between tries at an identity provider.", importance=LOW,
              effect=NoEffect("a login that failed is tried with the next connection")),
    ServerKey("sasl.login.retry.backoff.ms", LONG, "100",
              "First pause between tries at an identity provider.", importance=LOW,
              effect=NoEffect("a login that failed is tried with the next connection")),
    ServerKey("sasl.mechanism.controller.protocol", STRING, "GSSAPI",
              "SASL mechanism towards controllers.", importance=HIGH),
    ServerKey("sasl.mechanism.inter.broker.protocol", STRING, "GSSAPI",
              "SASL mechanism among brokers.", dynamic=PER_BROKER, effect=READ_AT_START),
    ServerKey("sasl.server.callback.handler.class", CLASS, None, "Callback handler of incoming SASL logins.",
              effect=Restricted(
                  "other classes are not loaded; leave it out and keep users as SCRAM credentials, in sasl.jaas.config "
                  "or at an OAuth provider", (
                  f"{SECURITY}.plain.internals.PlainServerCallbackHandler",
                  f"{SECURITY}.scram.internals.ScramServerCallbackHandler",
                  f"{SECURITY}.oauthbearer.OAuthBearerValidatorCallbackHandler",
                  f"{SECURITY}.oauthbearer.secured.OAuthBearerValidatorCallbackHandler",
                  f"{SECURITY}.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler"))),
    ServerKey("sasl.server.max.receive.size", INT, "524288", "Largest frame accepted before login."),
    ServerKey("security.inter.broker.protocol", STRING, "PLAINTEXT",
              "Security protocol among brokers, where no listener name is given for it.",
              one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")),
    ServerKey("security.providers", STRING, None, "Classes that add security algorithms.", importance=LOW,
              effect=Restricted("classes are not loaded; leave it out: OpenSSL has the algorithms")),
)
# fmt: on
