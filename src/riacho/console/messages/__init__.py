"""The message browser: reading, searching, following, decoding, producing and exporting records of topics."""
