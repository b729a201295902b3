"""The KSQL server: statements carried out, queries kept running, answers for clients."""
