"""The process that hosts Spark for a Connect worker and runs its connectors: commands come in lines of JSON.

The worker itself stays free of Spark. It starts this process with the first connector, talks to it over stdin and
stdout (`commands`, `events`), and finds it gone if Spark takes it down: the API goes on answering.
"""
