"""The metadata cache as access and quotas see it, which stand below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.settings.broker_values import BrokerValues


class MetadataView(Protocol):
    """`metadata_cache.MetadataCache`, as far as it is used here."""

    image: MetadataImage

    @property
    def values(self) -> BrokerValues: ...

    def subscribe(self, subscriber: Callable[[MetadataImage, MetadataImage], None]) -> None: ...
