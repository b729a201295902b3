"""Kafka's messages, one module each. Written by tools/generate_messages.py."""
