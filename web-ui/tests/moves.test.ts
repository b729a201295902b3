import { describe, expect, it } from "vitest";
import type { Cluster } from "../src/api/clusters";
import { moveCommand } from "../src/screens/moves/move_commands";
import { listsOf, movesBack, movesThere, type MoveForm, planWanted, targetOf, throttleOf } from "../src/screens/moves/move_request";

const FORM: MoveForm = { what: "topic", topic: "orders", partitions: "", broker: "", targets: [1, 2], replication: "", isSpread: false, lists: "", throttle: { text: "", size: 1024 } };

describe("what a move asks for", () => {
  it("is a topic, some partitions of it, or all that a broker has", () => {
    expect(planWanted(FORM)).toEqual({ topics: { orders: null }, brokers: [1, 2] });
    expect(planWanted({ ...FORM, partitions: "0, 2-3", replication: "2" })).toEqual({ topics: { orders: [0, 2, 3] }, brokers: [1, 2], replication: 2 });
    expect(planWanted({ ...FORM, what: "broker", broker: "3", isSpread: true })).toEqual({ from_broker: 3, brokers: [1, 2], is_spread: true });
  });
  it("is nothing while something is missing", () => {
    for (const part of [{ topic: "" }, { targets: [] }, { partitions: "x" }, { replication: "0" }, { what: "broker" as const }]) expect(planWanted({ ...FORM, ...part })).toBeNull();
  });
});

describe("replicas by hand", () => {
  it("are a line each, in several ways of writing", () => {
    const lists = "orders 0: 2,3,1\n\n  my-topic-7 = [1, 2]\na.b_c 12 5";
    const moves = [
      { topic: "orders", partition: 0, replicas: [2, 3, 1] },
      { topic: "my-topic", partition: 7, replicas: [1, 2] },
      { topic: "a.b_c", partition: 12, replicas: [5] },
    ];
    expect(listsOf(lists)).toEqual({ moves });
    expect(planWanted({ ...FORM, what: "lists", lists })).toEqual({ assignments: moves });
  });
  it("tell the line that is none", () => {
    for (const wrong of ["orders", "orders 0:", "orders x: 1", "orders 0: 1,,2", "orders 0: 1 2", "orders 0: -1"]) expect(listsOf(`a 0: 1\n${wrong}`)).toEqual({ line: 2 });
    expect(planWanted({ ...FORM, what: "lists", lists: "x" })).toBeNull();
    expect(planWanted({ ...FORM, what: "lists", lists: " \n" })).toBeNull();
  });
});

describe("a throttle", () => {
  it("is bytes a second, whole, or nothing", () => {
    expect(throttleOf({ throttle: { text: "2.5", size: 1024 ** 2 } })).toBe(2_621_440);
    expect(throttleOf({ throttle: { text: "", size: 1024 } })).toBeUndefined();
    for (const text of ["0", "-1", "x", "1e3"]) expect(throttleOf({ throttle: { text, size: 1024 } })).toBeNull();
  });
});

describe("a move", () => {
  const row = { topic: "o'k", partition: 1, old: [1, 2], new: [2, 3], adding: [3], removing: [1], bytes_to_copy: 5 };
  it("goes there and back", () => {
    expect(movesThere([row])).toEqual([{ topic: "o'k", partition: 1, replicas: [2, 3] }]);
    expect(movesBack([row])).toEqual([{ topic: "o'k", partition: 1, replicas: [1, 2] }]);
  });
  it("that is under way leads to what does not leave", () => {
    expect(targetOf({ topic: "t", partition: 0, replicas: [2, 3, 1], adding: [2, 3], removing: [1], bytes_to_copy: null, bytes_copied: null, away: [] })).toEqual([2, 3]);
  });
  it("is a command that a shell takes as it is meant", () => {
    const text = moveCommand({ bootstrap_servers: "h:9092" } as Cluster, movesThere([row]), "--execute");
    expect(text.split("\n")).toEqual([
      `printf %s '{"version":1,"partitions":[{"topic":"o'\\''k","partition":1,"replicas":[2,3]}]}' > moves.json`,
      "kafka-reassign-partitions --bootstrap-server h:9092 --reassignment-json-file moves.json --execute",
    ]);
  });
});
