"""The writer side of the Spark format `riacho`: rows to Kafka records, at least once or exactly once."""
