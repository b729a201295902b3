"""Who may come in, and what they may do: authentication and authorisation, without input or output."""
