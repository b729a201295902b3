"""Functions for columns of bytes whose schemas a registry has, beside `pyspark.sql.functions`.

    from riacho.functions import from_avro, to_avro

    orders = stream.select(from_avro("value", registry="http://localhost:8081", subject="orders-value").alias("order"))

Importing this module imports Spark (`pip install '.[spark]'`).
"""

from riacho.base.packages import brought_by

with brought_by("spark", "riacho.functions"):
    from riacho.pipelines.formats.functions import (
        from_avro,
        from_json_schema,
        from_protobuf,
        to_avro,
        to_json_schema,
        to_protobuf,
    )

__all__ = ["from_avro", "from_json_schema", "from_protobuf", "to_avro", "to_json_schema", "to_protobuf"]
