"""What is measured of the control center: sizes, which pages are asked for, and what is wanted of each figure."""

from __future__ import annotations

from dataclasses import dataclass

GROUP = "console"
# Stands where other groups have a peer: nothing else of this kind runs here, so figures stand beside what is wanted.
GOAL = "goal"

ANSWER_GOAL_MS = 50
SEARCH_GOAL_S = 3
FRAME_GOAL_MS = 1000 / 60
MEMORY_GOAL_MB = 80
CLIENT_GOAL_KB = 50
START_GOAL_S = 1

# What of it is measured, where not all is.
PARTS = ("few", "answers", "looking", "followers", "search")
CODECS = {"none": "uncompressed", "lz4": "lz4"}
SEARCHED_PARTITIONS = (1, 6)

METHOD = """\
`riacho console` as a process of its own beside one broker, both as users install them. Nothing else of this kind runs
here to compare with: the second column is what was wanted of it, and the figures are of this machine.

- Many: 10,000 topics (a tenth of three partitions, each with some records) and 10,000 groups, half of them with a
  member, a tenth with offsets in three topics. Beside them 510 transactional ids, ten of them with an open
  transaction, 50 users, 200 quotas and a share group. Few: ten topics and five groups. The console looks at the cluster
  every three seconds, or less often where a look takes long, all through these measurements.
- Answers: every GET that takes no service beside the brokers. One connection that stays open, 25 requests a second at
  even intervals (of the whole flow map: 2), of one kind each; latency counts from when a request was due.
- Looking: a request that costs nothing (`/health` of the console, ApiVersions of the broker), 200 a second for
  three quarters of a minute, which has several looks, and one at least that asks for everything. The longest answer is
  the longest that a look has kept everybody else waiting. Processor time is of that while; the broker is asked before
  there is a console, too.
- Processor time of answers and searches is what the kernel charges to the console meanwhile, with that of its looks:
  it tells more than seconds do where others use the machine.
- Search: one key among a million messages (JSON of 200 bytes, batches of up to 256 KiB), the last one that is come by:
  the first message where the newest come first, the last one where the oldest do. Over HTTP until the answer ends, and
  in Chromium until its row is there.
- Memory is RSS, after 20 seconds in which nobody asked for anything. Of a page that follows: what the console grew
  by with 480 of them, in a process of its own.
- Start: from spawning the process until its page is answered.
- Scrolling: 100,000 messages in the table of the message browser, loaded by its button, scrolled by wheel, 120
  pixels a turn, up to 60 turns a second. Frames are those of requestAnimationFrame. There is no graphics card: Chromium
  draws on the same two cores that everything else runs on.
- How busy the machine was by itself: the load before each measurement, and cores that others used meanwhile.
"""


@dataclass(frozen=True, slots=True)
class Scale:
    rounds: int = 3
    topics: int = 10_000
    groups: int = 10_000
    messages: int = 1_000_000
    rows: int = 100_000
    idle_s: float = 20.0
    answers_s: float = 6.0
    looking_s: float = 45.0
    followers: int = 480
    scroll_s: float = 6.0


QUICK = Scale(
    rounds=1,
    topics=1_000,
    groups=1_000,
    messages=100_000,
    rows=20_000,
    idle_s=10.0,
    answers_s=2.0,
    looking_s=12.0,
    followers=100,
    scroll_s=3.0,
)
