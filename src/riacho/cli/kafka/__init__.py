"""Kafka's command line tools, one file per tool; `tools.py` is the one table of their names and flags."""
