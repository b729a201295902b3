"""ApiVersions, v0-4: what this broker serves, asked first on every connection.

v3: client software name and version, supported and finalized features (KIP-511, KIP-584). v4: features whose minimum
is 0 (KAFKA-17492). A version that is not served gets a v0 body with error 35 and the range of this API alone, which
every client can read; dispatch then calls with no request.

Produce is advertised from 0 though 0-2 are refused: librdkafka before 2.11 takes compression from it (KAFKA-18659).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.metadata.image.features import KRAFT_VERSION, SUPPORTED, supported_for
from riacho.wire.messages.api_versions_request import ApiVersionsRequest
from riacho.wire.messages.api_versions_response import (
    ApiVersion,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext

_API_VERSIONS = 18
_PRODUCE = 0
# Of a name and of a version: so much is kept while the connection lasts.
_SOFTWARE_MAX = 100
_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def handle(ctx: QuorumRequestContext, request: ApiVersionsRequest | None) -> ApiVersionsResponse:
    served = _served(ctx)
    if request is None:
        own = [api for api in served if api.api_key == _API_VERSIONS]
        return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=own)
    if ctx.version >= 3:
        name, version = request.client_software_name, request.client_software_version
        if not _SOFTWARE.fullmatch(name) or not _SOFTWARE.fullmatch(version):
            return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
        ctx.client_software_name, ctx.client_software_version = name[:_SOFTWARE_MAX], version[:_SOFTWARE_MAX]
    image = ctx.metadata.image
    return ApiVersionsResponse(
        api_keys=served,
        supported_features=[
            SupportedFeatureKey(name=name, min_version=low, max_version=high)
            for name, (low, high) in supported_for(ctx.version).items()
        ],
        finalized_features_epoch=image.end_offset - 1,
        finalized_features=[
            FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level)
            for name, level in {**image.features, KRAFT_VERSION: ctx.quorum.raft.node.kraft_version}.items()
            if name in SUPPORTED and level > 0
        ],
    )


def _served(ctx: QuorumRequestContext) -> list[ApiVersion]:
    from riacho.broker.handlers.table import CONTROLLER_TABLE, TABLE  # the tables name this module

    return [
        ApiVersion(
            api_key=api.key,
            min_version=0 if api.key == _PRODUCE else api.version_min,
            max_version=api.version_max,
        )
        for api in (CONTROLLER_TABLE if ctx.is_for_controllers else TABLE)
    ]
