"""What goes wrong in a run, and when: a schedule drawn from the seed.

One fault at a time, each over before the next begins, though not always with time to recover between them. A fault that
takes something for good (a disk, the unsynced tail of one) waits until the cluster is whole: two such at once may lose
what was acknowledged in any system with this many replicas.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.simulated_node import SimulatedNode
    from support.simulated_world import World

Fault = Callable[["World", "SimulatedNode", Random], Awaitable[None]]

# Records more than an hour from now are refused (message.timestamp.after.max.ms).
_CLOCK_JUMP_MS = 3_000_000
_BROKERS_MAX = 4


def _links(world: World, node: SimulatedNode) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(from the node, to the node), between it and the other nodes."""
    others = [other.host for other in world.nodes.values() if other is not node]
    return [(node.host, other) for other in others], [(other, node.host) for other in others]


async def kill(world: World, node: SimulatedNode, rng: Random) -> None:
    node.crash()
    await asyncio.sleep(rng.uniform(0.01, 6))
    await node.start()


async def power_failure(world: World, node: SimulatedNode, rng: Random) -> None:
    node.crash(silently=True)
    await asyncio.sleep(rng.uniform(0.5, 10))
    await node.start()


async def kill_twice(world: World, node: SimulatedNode, rng: Random) -> None:
    """The second time while it is still finding its way."""
    node.crash()
    await asyncio.sleep(rng.uniform(0.01, 1))
    await node.start()
    await asyncio.sleep(rng.uniform(0, 0.3))
    node.crash()
    await asyncio.sleep(rng.uniform(0.01, 1))
    await node.start()


async def bounce(world: World, node: SimulatedNode, rng: Random) -> None:
    await node.stop()
    await asyncio.sleep(rng.uniform(0.01, 3))
    await node.start()


async def isolate(world: World, node: SimulatedNode, rng: Random) -> None:
    """From the other nodes, not from clients."""
    out, back = _links(world, node)
    world.event(f"{node.host} is cut off from the other nodes")
    world.network.cut(out + back)
    await asyncio.sleep(rng.uniform(0.5, 12))
    world.network.heal(out + back)


async def isolate_one_way(world: World, node: SimulatedNode, rng: Random) -> None:
    links = rng.choice(_links(world, node))
    world.event(f"one direction is cut: {links}")
    world.network.cut(links)
    await asyncio.sleep(rng.uniform(0.5, 12))
    world.network.heal(links)


async def cut_one_link(world: World, node: SimulatedNode, rng: Random) -> None:
    """Two nodes do not see each other; both see the third."""
    out, back = _links(world, node)
    at = rng.randrange(len(out)) if out else 0
    links = [*out[at : at + 1], *back[at : at + 1]]
    world.event(f"cut: {links}")
    world.network.cut(links)
    await asyncio.sleep(rng.uniform(0.5, 12))
    world.network.heal(links)


async def cut_from_clients(world: World, node: SimulatedNode, rng: Random) -> None:
    """The other nodes see it, and go on counting on it."""
    links = [link for client in world.client_hosts for link in ((client, node.host), (node.host, client))]
    # Perhaps what it answers gets lost, and nothing else.
    links = rng.choice((links, links[1::2]))
    world.event(f"{node.host} is cut off from {len(links)} links of clients")
    world.network.cut(links)
    await asyncio.sleep(rng.uniform(0.5, 8))
    world.network.heal(links)


async def reset_connections(world: World, node: SimulatedNode, rng: Random) -> None:
    count = world.network.reset_connections(node.host)
    world.event(f"{node.host} loses {count} ends of connections")
    await asyncio.sleep(rng.uniform(0, 1))


async def slow_links(world: World, node: SimulatedNode, rng: Random) -> None:
    out, back = _links(world, node)
    low = rng.randrange(5_000, 300_000)
    world.event(f"links of {node.host} take {low} us and more")
    world.network.slow_down(out + back, (low, low * 2))
    await asyncio.sleep(rng.uniform(1, 10))
    world.network.heal()


async def clock_jump(world: World, node: SimulatedNode, rng: Random) -> None:
    node.clock.offset_ms = rng.randint(-_CLOCK_JUMP_MS, _CLOCK_JUMP_MS)
    world.event(f"the clock of {node.host} is set to be {node.clock.offset_ms} ms off")
    await asyncio.sleep(rng.uniform(0, 1))


async def torn_tail(world: World, node: SimulatedNode, rng: Random) -> None:
    """Power fails, and with it goes what was not synced."""
    await world.whole()
    node.crash(silently=True, tearing=True)
    await asyncio.sleep(rng.uniform(0.5, 3))
    await node.start()
    await world.whole()


async def lost_disk(world: World, node: SimulatedNode, rng: Random) -> None:
    await world.whole()
    node.crash()
    node.wipe()
    await asyncio.sleep(rng.uniform(0.5, 3))
    await node.start()
    await world.whole()


async def kill_leader(world: World, node: SimulatedNode, rng: Random) -> None:
    """Of some partition, as its clients see it."""
    image = node.metadata.image
    leaders = [partition.leader for topic in image.topics.values() for partition in topic.partitions]
    chosen = world.nodes.get(rng.choice(leaders)) if leaders else None
    await kill(world, chosen or node, rng)


async def kill_controller(world: World, node: SimulatedNode, rng: Random) -> None:
    await kill(world, _controller(world) or node, rng)


async def isolate_controller(world: World, node: SimulatedNode, rng: Random) -> None:
    await isolate(world, _controller(world) or node, rng)


def _controller(world: World) -> SimulatedNode | None:
    return next((node for node in world.up if node.raft.node.is_leader), None)


async def kill_two(world: World, node: SimulatedNode, rng: Random) -> None:
    """No majority is left, and what is left must say no."""
    others = [other for other in world.nodes.values() if other is not node]
    pair = [node, rng.choice(others)]
    for one in pair:
        one.crash(silently=rng.random() < 0.5)
        await asyncio.sleep(rng.uniform(0, 1.5))
    await asyncio.sleep(rng.uniform(0, 5))
    rng.shuffle(pair)
    await _start_together(pair)


async def kill_all(world: World, node: SimulatedNode, rng: Random) -> None:
    nodes = list(world.nodes.values())
    for one in nodes:
        one.crash()
        await asyncio.sleep(rng.choice((0, rng.uniform(0, 2))))
    rng.shuffle(nodes)
    await _start_together(nodes)


async def power_cut(world: World, node: SimulatedNode, rng: Random) -> None:
    """All machines at once; one of them loses what was not synced, and they come back in any order."""
    await world.whole()
    nodes = list(world.nodes.values())
    for one in nodes:
        one.crash(silently=True, tearing=one is node)
    await asyncio.sleep(rng.uniform(0.5, 10))
    await _start_one_by_one(nodes, rng)
    await world.whole()


async def kill_all_with_a_torn_tail(world: World, node: SimulatedNode, rng: Random) -> None:
    """Processes are killed, and one comes back with less than it had, though its machine never stopped."""
    await world.whole()
    nodes = list(world.nodes.values())
    for one in nodes:
        one.crash(tearing=one is node, reboots=False)
    await _start_one_by_one(nodes, rng)
    await world.whole()


async def kill_all_but_one_returns_late(world: World, node: SimulatedNode, rng: Random) -> None:
    """What the others had is whole: they need not wait for it."""
    await world.whole()
    nodes = [*(one for one in world.nodes.values() if one is not node), node]
    for one in nodes:
        one.crash()
    await _start_one_by_one(nodes[:-1], rng)
    await world.led()
    await node.start()
    await world.whole()


async def _start_one_by_one(nodes: list[SimulatedNode], rng: Random) -> None:
    rng.shuffle(nodes)
    gap_s = rng.choice((0, 0.1, 1, 3))
    starting = []
    for one in nodes:
        starting.append(asyncio.ensure_future(one.start()))
        await asyncio.sleep(rng.uniform(0, gap_s))
    await asyncio.gather(*starting)


async def stop_all(world: World, node: SimulatedNode, rng: Random) -> None:
    """In order, one after the other, then all come back."""
    nodes = list(world.nodes.values())
    rng.shuffle(nodes)
    for one in nodes:
        await one.stop()
    await _start_together(nodes)


async def _start_together(nodes: list[SimulatedNode]) -> None:
    """None of them may get far before the others are there."""
    await asyncio.gather(*(node.start() for node in nodes))


async def kill_while_cut(world: World, node: SimulatedNode, rng: Random) -> None:
    """Two at once: one node is cut off, another dies and comes back."""
    out, back = _links(world, node)
    world.event(f"{node.host} is cut off from the other nodes")
    world.network.cut(out + back)
    await asyncio.sleep(rng.uniform(0, 5))
    others = [other for other in world.nodes.values() if other is not node]
    other = rng.choice(others)
    other.crash()
    await asyncio.sleep(rng.uniform(0, 3))
    starting = asyncio.ensure_future(other.start())
    await asyncio.sleep(rng.uniform(0, 3))
    world.network.heal(out + back)
    await starting


async def join(world: World, node: SimulatedNode, rng: Random) -> None:
    """A fourth broker, which from then on may fail as any other."""
    if len(world.nodes) < _BROKERS_MAX:
        await world.add_broker().start()


ALONE: tuple[Fault, ...] = (kill, kill_twice, power_failure, bounce, reset_connections, clock_jump, cut_from_clients)
AMONG_OTHERS: tuple[Fault, ...] = (
    *ALONE,
    kill_leader,
    kill_controller,
    kill_two,
    kill_all,
    kill_all_with_a_torn_tail,
    kill_all_but_one_returns_late,
    power_cut,
    kill_while_cut,
    stop_all,
    isolate_controller,
    isolate,
    isolate,
    isolate_one_way,
    cut_one_link,
    slow_links,
    torn_tail,
    lost_disk,
)
ALL_AT_ONCE: tuple[Fault, ...] = (power_cut, kill_all_with_a_torn_tail, kill_all_but_one_returns_late)
WITH_JOIN: tuple[Fault, ...] = (*AMONG_OTHERS, join, join, join, join, join)


async def run_schedule(world: World, faults: tuple[Fault, ...], duration_s: float, pause_s_max: float = 4) -> None:
    end = world.loop.time() + duration_s
    while world.loop.time() < end:
        await asyncio.sleep(world.rng.uniform(0.05, pause_s_max))
        fault = world.rng.choice(faults)
        node = world.rng.choice(list(world.nodes.values()))
        world.event(f"fault {fault.__name__} {node.host}")
        await fault(world, node, world.rng)
    world.network.heal()
