"""Consumer instances of the v2 API: each polls in the background, so that no group waits for a client."""
