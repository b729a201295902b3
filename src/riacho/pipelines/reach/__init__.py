"""What a connector's config may reach: client settings, files, addresses, formats. `judging` has the last word."""
