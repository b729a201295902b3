"""A service's state as a log in Kafka: every instance reads it, an elected one writes it; see `replicated_log.py`."""
