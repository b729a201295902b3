"""A child process with a Spark driver in it, and the lines that it and the service that started it tell each other."""
