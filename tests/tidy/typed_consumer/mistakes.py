"""Mistakes that a type checker has to find: it finds none where a public name is of any type."""

from pyspark.sql import SparkSession

import riacho
from riacho.connect import Definition, Nonsense  # a name that is not there
from riacho.functions import from_avro
from riacho.testing import KafkaCluster, Missing  # a name that is not there

session: SparkSession = riacho.spark(1)  # a number where text belongs
Definition("topic", "STRING")  # text where a type belongs
from_avro("value", registry=8081)  # a port where a URL belongs
KafkaCluster().leader(7)  # a number where a topic belongs
KafkaCluster().elect("orders")  # a method that is not there
print(Nonsense, Missing)
