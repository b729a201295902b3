"""Kafka Connect's single message transforms and predicates, as Spark column expressions over frames of records.

`chain.py` reads them from a connector's config; each transform and predicate is one file, `plugins.py` their table.
"""
