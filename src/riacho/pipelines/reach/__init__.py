"""What a connector's config may reach: client settings, files, addresses, formats. `validation` has the last word."""
