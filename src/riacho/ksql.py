"""Functions for KSQL statements, in Python: the one module that authors of them import from.

    from riacho.ksql import udf

    @udf("INITIALS", "(STRING) -> STRING")
    def initials(name: str | None) -> str | None:
        return None if name is None else "".join(word[0] for word in name.split())

The server's operator names the modules that have them; no statement can. Importing this does not import Spark.
"""

from riacho.base.packages import brought_by

with brought_by("services", "riacho.ksql"):
    from riacho.pipelines.sql.functions.user.definition import UserFunctionError, udaf, udf, udtf

__all__ = ["UserFunctionError", "udaf", "udf", "udtf"]
