"""WebSocket (RFC 6455) for endpoints that ask for it: the offer, the connection, what a handler is given."""
