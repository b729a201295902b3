"""`riacho shell`: every command of the platform at one prompt, in one process."""
