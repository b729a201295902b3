"""Made-up records for topics, as Confluent's ksql-datagen writes them."""
