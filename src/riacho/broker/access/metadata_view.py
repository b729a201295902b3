"""The metadata cache (`quorum/metadata_cache.py`) as those see it who need little of it, or stand below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.settings.broker_values import BrokerValues


class ImageView(Protocol):
    """For those who ask for the image of this moment, each time."""

    @property
    def image(self) -> MetadataImage: ...


class MetadataView(ImageView, Protocol):
    """For those who follow it, and the settings that it has."""

    @property
    def values(self) -> BrokerValues: ...

    def subscribe(self, subscriber: Callable[[MetadataImage, MetadataImage], None]) -> None: ...
