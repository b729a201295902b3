import { describe, expect, it } from "vitest";
import type { FlowKind, FlowMap } from "../src/api/flow";
import { graphScale } from "../src/components/graph_scale";
import { hiddenOf, shownMap, weight } from "../src/screens/flow/shown_map";

const node = (kind: FlowKind, name: string, isInternal = false) => ({ id: `${kind}:${name}`, kind, name, principal: null, state: null, lag: null, is_internal: isInternal });
const edge = (from: string, to: string) => ({ from, to, rate_per_s: null });
const MAP: FlowMap = {
  nodes: [node("producer", "shop"), node("topic", "orders"), node("query", "totals"), node("topic", "sums"), node("group", "billing"), node("topic", "_own", true), node("group", "servers")],
  edges: [edge("producer:shop", "topic:orders"), edge("topic:orders", "query:totals"), edge("query:totals", "topic:sums"), edge("topic:orders", "group:billing"), edge("topic:_own", "group:servers")],
  left_out: 0,
  about: null,
};
const ALL = { q: "", hidden: new Set<FlowKind>(), withInternal: false };
const names = (wanted: Parameters<typeof shownMap>[1]): string[] => shownMap(MAP, wanted).nodes.map((each) => each.name);

describe("the flow map", () => {
  it("leaves internal topics out, and who is joined to nothing else", () => {
    expect(names(ALL)).toEqual(["shop", "orders", "totals", "sums", "billing"]);
    expect(names({ ...ALL, withInternal: true })).toHaveLength(7);
  });
  it("shows what is up and down the stream from what is looked for", () => {
    expect(names({ ...ALL, q: "SUMS" })).toEqual(["shop", "orders", "totals", "sums"]);
    expect(names({ ...ALL, q: "billing" })).toEqual(["shop", "orders", "billing"]);
    expect(names({ ...ALL, q: "nothing" })).toEqual([]);
  });
  it("finds who has logged in", () => {
    const map = { ...MAP, nodes: MAP.nodes.map((each) => (each.name === "shop" ? { ...each, principal: "User:ana" } : each)) };
    expect(shownMap(map, { ...ALL, q: "user:ANA" }).nodes.map((each) => each.name)).toContain("shop");
  });
  it("leaves kinds out that are not wanted, with what only they joined", () => {
    expect(names({ ...ALL, hidden: hiddenOf("query,nonsense") })).toEqual(["shop", "orders", "billing"]);
  });
  it("draws streams as wide as their logarithm, and unknown ones not as empty", () => {
    expect(weight(null, 10)).toBeNull();
    expect(weight(0, 10)).toBe(0);
    expect(weight(1e6, 1e6)).toBe(1);
    expect(weight(1000, 1e6)).toBeCloseTo(0.5, 1);
  });
});

describe("a graph in its room", () => {
  const room = { width: 1000, height: 600 };
  it("grows where it is small, as far as it is whole and does not shout", () => {
    expect(graphScale({ width: 500, height: 100 }, room, false)).toBe(1.6);
    expect(graphScale({ width: 800, height: 500 }, room, false)).toBe(1.2);
    expect(graphScale({ width: 800, height: 5000 }, room, false)).toBe(1);
  });
  it("shrinks where it is wider than the room, as far as names can be read", () => {
    expect(graphScale({ width: 1250, height: 5000 }, room, false)).toBe(0.8);
    expect(graphScale({ width: 5000, height: 100 }, room, false)).toBe(0.7);
  });
  it("is seen as a whole where that is wanted", () => {
    expect(graphScale({ width: 5000, height: 100 }, room, true)).toBe(0.2);
    expect(graphScale({ width: 800, height: 6000 }, room, true)).toBe(0.1);
  });
  it("is as it was drawn until the room is known", () => {
    expect(graphScale({ width: 500, height: 100 }, { width: -40, height: 0 }, false)).toBe(1);
  });
});
