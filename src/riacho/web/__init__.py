"""What HTTP services share: endpoints and their router, errors, media types, auth, metrics, OpenAPI, the server."""
