"""What all resources of the v3 API have: a kind, links, and the cluster that they are in."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.links import Links, crn
from riacho.web.call import Call
from riacho.web.errors import ApiError

CLUSTER: Final = "/v3/clusters/{cluster_id}"
NO_CLUSTER: Final = {404: "There is no such cluster."}
# Longer texts do not fit the protocol: the broker would hang up, on this call and on all others under way.
Text = Annotated[str, msgspec.Meta(max_length=8_191)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=8_191)]
NO_TOPIC: Final = {**NO_CLUSTER, 40403: "There is no such topic."}


class Metadata(msgspec.Struct, omit_defaults=True):
    self_url: str = msgspec.field(name="self")
    resource_name: str | None = None


class ListMetadata(msgspec.Struct):
    self_url: str = msgspec.field(name="self")
    next: str | None = None


class Related(msgspec.Struct):
    related: str


class ClusterLinks:
    """The cluster of one call, and links into it."""

    def __init__(self, cluster_id: str, links: Links) -> None:
        self.cluster_id = cluster_id
        self.links = links

    def url(self, *segments: object) -> str:
        return self.links.url("clusters", self.cluster_id, *segments)

    def related(self, *segments: object) -> Related:
        return Related(self.url(*segments))

    def metadata(self, segments: tuple[object, ...], names: tuple[object, ...]) -> Metadata:
        """`names` are those of the resource name, in turn with their values."""
        return Metadata(self.url(*segments), crn("kafka", self.cluster_id, *names))

    def list_metadata(self, *segments: object) -> ListMetadata:
        return ListMetadata(self.url(*segments))


async def cluster_links(proxy: Proxy, call: Call) -> ClusterLinks:
    """404 when the path names another cluster than the one there is."""
    await _refuse_nul(call)
    cluster_id = await proxy.admin.cluster_id()
    named = call.segment("cluster_id")
    if named != cluster_id:
        raise ApiError(404, 404, f"Cluster {named} cannot be found.")
    return ClusterLinks(cluster_id, Links(call, proxy.config))


async def _refuse_nul(call: Call) -> None:
    """librdkafka reads a text to its first NUL, and would change what that names."""
    if b"%00" in call.scope.get("query_string", b"") or b"\\u0000" in await call.body():
        raise ApiError(400, 400, "The request must not contain NUL characters.")
