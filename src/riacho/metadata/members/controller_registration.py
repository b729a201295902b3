"""A controller makes itself known (ControllerRegistration, KIP-919): where it listens, and which features it knows."""

from __future__ import annotations

from riacho.base.decision import Decision
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest
from riacho.wire.messages.controller_registration_response import ControllerRegistrationResponse
from riacho.wire.messages.register_controller_record import (
    ControllerEndpoint,
    ControllerFeature,
    RegisterControllerRecord,
)


def decide_register_controller(
    image: MetadataImage, request: ControllerRegistrationRequest
) -> Decision[MetadataRecord, ControllerRegistrationResponse]:
    record = RegisterControllerRecord(
        controller_id=request.controller_id,
        incarnation_id=request.incarnation_id,
        zk_migration_ready=request.zk_migration_ready,
        end_points=[
            ControllerEndpoint(name=e.name, host=e.host, port=e.port, security_protocol=e.security_protocol)
            for e in request.listeners
        ],
        features=[
            ControllerFeature(
                name=f.name,
                min_supported_version=f.min_supported_version,
                max_supported_version=f.max_supported_version,
            )
            for f in request.features
        ],
    )
    is_known = image.controllers.get(request.controller_id) == record
    reply = ControllerRegistrationResponse(error_message=None)
    return Decision(reply=reply, records=[] if is_known else [record])
