"""Transactions: the state machine of the transaction coordinator."""
