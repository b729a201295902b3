"""Media types of the server's endpoints."""

from __future__ import annotations

KSQL_JSON = "application/vnd.ksql.v1+json"
DELIMITED = "application/vnd.ksqlapi.delimited.v1"
JSON = "application/json"
ANSWERS = (KSQL_JSON, JSON)
# What `curl -d` says of a body where nobody says otherwise. ksqlDB does not look, and its documentation has calls of
# this kind; pages of other sites, which could send it too, are refused before (`web/sites.py`).
FORM = "application/x-www-form-urlencoded"
# A body of which nothing is said at all.
OCTETS = "application/octet-stream"
REQUESTS = (KSQL_JSON, JSON, FORM, OCTETS)
