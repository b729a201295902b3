import { describe, expect, it } from "vitest";
import type { Cluster } from "../src/api/clusters";
import type { Group } from "../src/api/groups";
import { isAsLastSeen, offsetRows } from "../src/screens/groups/group_rows";
import { resetCommand } from "../src/screens/groups/reset_command";

const GROUP: Group = {
  id: "billing",
  type: "consumer",
  state: "Stable",
  members: [],
  member_count: 2,
  offsets: [{ topic: "orders", partition: 1, committed: 5, next_offset: 9, lag: 4, member: null, metadata: null }],
  topics: [{ topic: "orders", lag: 4 }],
  lag: 4,
  coordinator: 1,
  protocol: null,
  as_of_ms: 1,
  stale_reason: null,
};

describe("a group", () => {
  it("is listed partition by partition", () => {
    expect(isAsLastSeen(GROUP)).toBe(false);
    expect(offsetRows(GROUP)).toEqual(GROUP.offsets);
  });
  it("is listed topic by topic while its coordinator is away, with nothing made up", () => {
    const away: Group = { ...GROUP, offsets: [], topics: [{ topic: "orders", lag: 4 }, { topic: "items", lag: null }], stale_reason: "It is away." };
    expect(isAsLastSeen(away)).toBe(true);
    expect(offsetRows(away).map((row) => [row.topic, row.lag, row.partition, row.committed, row.next_offset])).toEqual([
      ["orders", 4, null, null, null],
      ["items", null, null, null, null],
    ]);
  });
});

describe("a reset as a command line", () => {
  const cluster = { bootstrap_servers: "broker:9092" } as Partial<Cluster> as Cluster;
  const form = { to: "earliest" as const, value: "", topic: "", partitions: "" };
  const told = (...more: [type: Group["type"], form: Parameters<typeof resetCommand>[2]]) => resetCommand(cluster, { id: "billing", type: more[0] }, more[1], [{ topic: "orders", partition: 2, old: 1, new: 7, change: 6 }]).command;
  it("names partitions one by one: the tool knows no ranges", () => {
    expect(told("consumer", { ...form, topic: "orders", partitions: "0, 2-4" })).toContain("--reset-offsets --topic orders:0,2,3,4 --to-earliest --execute");
    expect(told("consumer", form)).toContain("--all-topics --to-earliest --execute");
  });
  it("goes by a file where another group is the measure", () => {
    expect(told("consumer", { ...form, to: "group", value: "other" })).toMatch(/^printf %s 'orders,2,7\n' > offsets\.csv\nkafka-consumer-groups .*--reset-offsets --from-file offsets\.csv --execute$/);
  });
  it("is none for a share group where its tool has none", () => {
    expect(told("share", { ...form, to: "shift", value: "1" })).toBeUndefined();
    expect(told("share", { ...form, to: "group", value: "other" })).toBeUndefined();
    expect(told("share", form)).toContain("kafka-share-groups");
  });
});
