"""The endpoints of Connect's REST API, one resource a file."""
