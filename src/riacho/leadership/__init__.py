"""A service's state as a log in Kafka: every instance reads it, an elected one writes it (start at `office.py`)."""
