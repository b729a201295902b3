"""KSQL on Spark: statements are parsed, analysed against a catalogue, and planned as pipelines that Spark runs."""
