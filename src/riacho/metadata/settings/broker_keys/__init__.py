"""The broker settings of Kafka 4.3, one table for each area."""
