"""The command line of KSQL: a client of ksqlDB's REST API, of our server and of others."""
