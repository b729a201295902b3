"""Topics as Spark reads them: what to read, how it is cut into tasks, and record batches decoded as columns."""
