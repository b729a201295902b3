from __future__ import annotations

from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest, Feature, Listener
from support.metadata_world import MetadataWorld


def test_a_controller_is_put_on_record_once() -> None:
    world = MetadataWorld()
    request = ControllerRegistrationRequest(
        controller_id=3,
        incarnation_id=b"i" * 16,
        listeners=[Listener(name="CONTROLLER", host="c", port=9)],
        features=[Feature(name="kraft.version", min_supported_version=0, max_supported_version=1)],
    )
    reply = world.submit(world.controller.register_controller(request))
    assert (reply.error_code, reply.error_message) == (0, None)
    controller = world.image.controllers[3]
    assert (controller.end_points[0].port, controller.features[0].max_supported_version) == (9, 1)
    assert world.controller.register_controller(request).records == []
    request.incarnation_id = b"j" * 16
    assert len(world.controller.register_controller(request).records) == 1
