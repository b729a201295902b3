"""What goes wrong with disks: power that fails, disks that are full or say EIO, a process out of descriptors.

Where records are synced before they are acknowledged, power may fail for any number of nodes at any time. Where they
are not, it fails for one node of a whole cluster at a time: what the others have in memory is what is promised then.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

from support.simulated_faults import Fault

if TYPE_CHECKING:
    from support.simulated_node import SimulatedNode
    from support.simulated_world import World

_CALLS = ("pwrite", "pread", "fsync", "open", "rename", "ftruncate")
_NAMES = (".log", ".log", "", ".tmp", "quorum-state.spare", "leader-epoch-checkpoint.1.tmp", ".index")


async def _again(world: World, *nodes: SimulatedNode) -> None:
    """Disks are well again, and whoever fell with one is started."""
    for node in nodes:
        node.files.heal()
    await asyncio.gather(*(node.start() for node in nodes if not node.is_up))
    await world.whole()


async def power_cut(world: World, node: SimulatedNode, rng: Random) -> None:
    await world.whole()
    node.crash(silently=True, tearing=True)
    await asyncio.sleep(rng.uniform(0.2, 2))
    await _again(world, node)


async def power_cut_twice(world: World, node: SimulatedNode, rng: Random) -> None:
    """The second time in the midst of its recovery."""
    await world.whole()
    node.crash(silently=True, tearing=True)
    starting = asyncio.ensure_future(node.start())
    await asyncio.sleep(rng.uniform(0, 0.5))
    if node.is_up:
        node.crash(silently=True, tearing=True)
    starting.cancel()
    await _again(world, node)


async def power_cut_of_some(world: World, node: SimulatedNode, rng: Random) -> None:
    """Of one, two or all of them, at once or one after the other, whatever state the cluster is in."""
    nodes = rng.sample(list(world.nodes.values()), rng.randint(1, len(world.nodes)))
    for one in nodes:
        if one.is_up:
            one.crash(silently=rng.random() < 0.5, tearing=True)
        await asyncio.sleep(rng.choice((0, 0, rng.uniform(0, 1.5))))
    await _again(world, *nodes)


async def full_disk(world: World, node: SimulatedNode, rng: Random) -> None:
    """Perhaps its process is killed and started meanwhile."""
    node.files.capacity_bytes = node.files.used_bytes + rng.choice((0, 4096, 30_000))
    world.event(f"the disk of {node.host} is full")
    await asyncio.sleep(rng.uniform(0.2, 2))
    if rng.random() < 0.5 and node.is_up:
        node.crash()
        starting = asyncio.ensure_future(node.start())
        await asyncio.sleep(rng.uniform(0.2, 2))
        assert not starting.done() or starting.exception() is None, f"{node.host} cannot start: {starting.exception()}"
        node.files.heal()
        await starting
    await _again(world, node)


async def io_error(world: World, node: SimulatedNode, rng: Random) -> None:
    """Some call fails, once. The broker falls, or lives with it; what it could not sync is lost when power fails."""
    await world.whole()
    call, name = rng.choice(_CALLS), rng.choice(_NAMES)
    world.event(f"the next {call} of {name} on {node.host} fails")
    node.files.fail(call, name)
    await asyncio.sleep(rng.uniform(0.5, 2))
    if not node.is_up or rng.random() < 0.3:
        if node.is_up:
            node.crash(silently=True)
        node.lose_power()
    await _again(world, node)


async def few_descriptors(world: World, node: SimulatedNode, rng: Random) -> None:
    node.files.descriptors_max = node.files.descriptor_count + rng.randint(0, 2)
    world.event(f"{node.host} has no more than {node.files.descriptors_max} descriptors")
    await asyncio.sleep(rng.uniform(0.2, 2))
    await _again(world, node)


async def killed(world: World, node: SimulatedNode, rng: Random) -> None:
    node.crash()
    await asyncio.sleep(rng.uniform(0.01, 1))
    await _again(world, node)


async def stopped_then_cut(world: World, node: SimulatedNode, rng: Random) -> None:
    """In order, so that the next start looks at little; then power fails soon after that start."""
    await world.whole()
    await node.stop()
    await asyncio.sleep(rng.uniform(0.01, 0.5))
    await node.start()
    await asyncio.sleep(rng.uniform(0, 1))
    node.crash(silently=True, tearing=True)
    await _again(world, node)


_OF_ONE: tuple[Fault, ...] = (full_disk, io_error, few_descriptors, killed, stopped_then_cut)
UNSYNCED: tuple[Fault, ...] = (power_cut, power_cut, power_cut_twice, *_OF_ONE)
SYNCED: tuple[Fault, ...] = (power_cut_of_some, power_cut_of_some, power_cut_of_some, *_OF_ONE)
