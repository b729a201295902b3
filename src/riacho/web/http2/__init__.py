"""HTTP/2 (RFC 9113) on the ports of HTTP/1.1: frames that are let in, the connection, its streams."""
