"""Media types of the server's endpoints."""

from __future__ import annotations

KSQL_JSON = "application/vnd.ksql.v1+json"
DELIMITED = "application/vnd.ksqlapi.delimited.v1"
JSON = "application/json"
ANSWERS = (KSQL_JSON, JSON)
REQUESTS = (KSQL_JSON, JSON)
