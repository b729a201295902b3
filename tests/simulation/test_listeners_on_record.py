"""What a node registers: as a broker the listeners of its clients, as a controller those of the quorum, no others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from support.simulated_node import BROKER_PORT, CONTROLLER_PORT
from support.simulated_world import World

REPLAY = "tests/simulation/test_listeners_on_record.py"


def _addresses(endpoints: Iterable[Any]) -> list[tuple[str, str, int]]:
    return [(each.name, each.host, each.port) for each in endpoints]


def test_each_listener_is_on_record_for_those_who_use_it() -> None:
    with World(1, brokers=3, replay=REPLAY) as world:

        async def main() -> None:
            await world.start_all()
            node = world.nodes[1]
            while len(node.metadata.image.controllers) < 3:
                await asyncio.sleep(0.1)
            image = node.metadata.image
            for node_id in (1, 2, 3):
                host = f"node{node_id}"
                assert _addresses(image.brokers[node_id].endpoints) == [("PLAINTEXT", host, BROKER_PORT)]
                assert _addresses(image.controllers[node_id].end_points) == [("CONTROLLER", host, CONTROLLER_PORT)]

        world.run(main())
