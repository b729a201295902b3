"""Records on their way to Kafka: one producer for all calls, bounded, and what it knows of topics."""
