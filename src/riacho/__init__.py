"""Riacho: event streaming in Python, on Kafka's wire."""

__version__ = "0.1.0"
# The release of Apache Kafka whose protocol and behaviour we match.
KAFKA_VERSION = "4.3.1"
