"""Kafka Connect's REST API over Spark: connectors kept in compacted topics, run by a child process that hosts Spark."""
