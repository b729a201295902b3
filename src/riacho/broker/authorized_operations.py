"""Which operations a caller may do, as the bits that Metadata and its like return (KIP-430).

There is no authorizer yet, so whoever asks may do everything that the resource knows.
"""

from __future__ import annotations

NOT_ASKED = -2147483648
# Bit n is AclOperation n: read, write, create, delete, alter, describe, describe configs, alter configs.
TOPIC = 0b1101_1111_1000
# create, alter, describe, cluster action, describe configs, alter configs, idempotent write.
CLUSTER = 0b1_1111_1010_0000
