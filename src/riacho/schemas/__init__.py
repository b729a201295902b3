"""Schemas as values: parsing, canonical text, compatibility, and the payloads they describe. Pure; no log, no HTTP."""
