"""Which lines of the shell destroy, and what: asked about before they run."""
