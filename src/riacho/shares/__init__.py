"""Share groups: what is in flight of a share-partition, and where its state is kept (KIP-932)."""
