"""What becomes of records that cannot be treated: the policy of a connector, and its dead letters."""
