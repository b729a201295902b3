"""UpdateFeatures, v0-2 (KIP-584, KIP-1022): raise or lower what the cluster agreed on.

kraft.version is the quorum's own: it stands in the metadata log as a control record, so the quorum decides on it
(KIP-853). The other features are records like any. v2 has no results per feature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.broker.requests.later import settled
from riacho.security.operations import AclOperation
from riacho.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from riacho.wire.messages.update_features_response import UpdatableFeatureResult, UpdateFeaturesResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext

_KRAFT_VERSION = "kraft.version"


async def handle(ctx: QuorumRequestContext, request: UpdateFeaturesRequest) -> UpdateFeaturesResponse:
    ctx.check_cluster(AclOperation.ALTER)
    version = ctx.version
    of_quorum = [update for update in request.feature_updates if update.feature == _KRAFT_VERSION]
    others = [update for update in request.feature_updates if update.feature != _KRAFT_VERSION]
    for update in of_quorum:
        refused = await _raise_kraft_version(ctx, update, request.validate_only)
        if refused is not None:
            return _refusal(request, refused, version)
    rest = UpdateFeaturesRequest(
        timeout_ms=request.timeout_ms, feature_updates=others, validate_only=request.validate_only
    )
    if not others:
        done = UpdateFeaturesResponse(error_message=None)
        done.results = [] if version > 1 else [UpdatableFeatureResult(feature=_KRAFT_VERSION, error_message=None)]
        return done
    return await ctx.quorum.controller.decided(lambda controller: controller.update_features(rest, version))


async def _raise_kraft_version(
    ctx: QuorumRequestContext, update: FeatureUpdateKey, is_validate_only: bool
) -> KafkaError | None:
    try:
        await settled(ctx.quorum.raft.request_kraft_version(update.max_version_level, is_validate_only))
    except KafkaError as error:
        return error
    return None


def _refusal(request: UpdateFeaturesRequest, error: KafkaError, version: int) -> UpdateFeaturesResponse:
    response = UpdateFeaturesResponse(error_code=error.code, error_message=error.detail or None)
    if version <= 1:
        response.results = [
            UpdatableFeatureResult(feature=update.feature, error_code=error.code, error_message=error.detail or None)
            for update in request.feature_updates
        ]
    return response
