import { describe, expect, it } from "vitest";
import { graphOf, stepsOf, topicsOf } from "../src/screens/sql/plan";

const PLAN = [
  " > [ SINK ] | Schema: `CITY` STRING PRIMARY KEY, `N` BIGINT | Logger: CTAS_BY_CITY_1.BY_CITY",
  "\t\t > [ PROJECT ] | Logger: CTAS_BY_CITY_1.Project",
  "\t\t\t\t > [ AGGREGATE ] | Window: TUMBLING 60000 ms, grace 86340000 ms | Logger: CTAS_BY_CITY_1.Aggregate",
  "\t\t\t\t\t\t > [ GROUP_BY ] | Logger: CTAS_BY_CITY_1.GroupBy",
  "\t\t\t\t\t\t\t\t > [ SOURCE ] | Schema: `ID` STRING KEY, `TOTAL` BIGINT | Logger: CTAS_BY_CITY_1.KsqlTopic.Source",
  "",
].join("\n");
const TOPOLOGY = "topic orders -> [read] -> topic BY_CITY\n\nread orders: KAFKA key, JSON value\n1. read: SELECT v\nwrite BY_CITY: KAFKA key, JSON value";

const JOIN = [
  " > [ SINK ] | Schema: `ID` STRING KEY | Logger: Q.J",
  "\t\t > [ JOIN ] | Logger: Q.Join",
  "\t\t\t\t > [ PROJECT ] | Logger: Q.Left",
  "\t\t\t\t\t\t > [ SOURCE ] | Schema: `ID` STRING KEY | Logger: Q.L",
  "\t\t\t\t > [ PROJECT ] | Logger: Q.Right",
  "\t\t\t\t\t\t > [ SOURCE ] | Schema: `ID` STRING KEY | Logger: Q.R",
].join("\n");

describe("a plan", () => {
  it("is steps, each with the one it feeds", () => {
    expect(stepsOf(PLAN).map((each) => [each.name, each.parent])).toEqual([["SINK", null], ["PROJECT", 0], ["AGGREGATE", 1], ["GROUP_BY", 2], ["SOURCE", 3]]);
    expect(stepsOf(PLAN)[2]?.detail).toBe("TUMBLING 60000 ms, grace 86340000 ms");
    expect(stepsOf(PLAN)[4]?.schema).toBe("`ID` STRING KEY, `TOTAL` BIGINT");
  });
  it("branches where streams meet", () => {
    expect(stepsOf(JOIN).map((each) => each.parent)).toEqual([null, 0, 1, 2, 1, 4]);
    const below = [" > [ SINK ] | Logger: Q", "\t\t > [ JOIN ] | Logger: Q", "\t\t\t\t > [ SOURCE ] | Logger: Q", "\t\t\t\t\t\t > [ SOURCE ] | Logger: Q"].join("\n");
    expect(stepsOf(below).map((each) => each.parent)).toEqual([null, 0, 1, 1]);
  });
  it("has topics at its ends, of our topology and of Kafka Streams'", () => {
    expect(topicsOf(TOPOLOGY)).toEqual({ read: ["orders"], written: "BY_CITY" });
    expect(topicsOf("read a: KAFKA key, JSON value\nwrite to the client: JSON key, JSON value")).toEqual({ read: ["a"], written: null });
    const streams = "Topologies:\n Sub-topology: 0\n  Source: KSTREAM-SOURCE-0000000000 (topics: [left, right])\n   --> X\n  Sink: KSTREAM-SINK-0000000007 (topic: OUT)";
    expect(topicsOf(streams)).toEqual({ read: ["left", "right"], written: "OUT" });
  });
  it("is a graph from sources to the sink", () => {
    const graph = graphOf(PLAN, TOPOLOGY, { sources: ["ORDERS"], sinks: ["BY_CITY"] });
    expect(graph?.nodes.map((each) => [each.kind, each.name, each.note])).toEqual([
      ["topic", "orders", "ORDERS"],
      ["step", "GROUP BY", null],
      ["step", "AGGREGATE", "TUMBLING 1 min"],
      ["step", "PROJECT", null],
      ["topic", "BY_CITY", "BY_CITY"],
    ]);
    expect(graph?.edges[0]).toEqual({ from: "step 4", to: "step 3" });
    expect(graph?.edges).toHaveLength(4);
  });
  it("ends at the client where nothing is written, and names the sources of a join in their order", () => {
    const graph = graphOf(JOIN, "read left: KAFKA key, JSON value\nread right: KAFKA key, JSON value\nwrite to the client: JSON key, JSON value", { sources: ["L", "R"], sinks: [] });
    expect(graph?.nodes.at(-1)).toMatchObject({ kind: "client" });
    expect(graph?.nodes.filter((each) => each.kind === "topic").map((each) => [each.name, each.note])).toEqual([["right", "R"], ["left", "L"]]);
    const below = [" > [ SINK ] | Logger: Q", "\t\t > [ JOIN ] | Logger: Q", "\t\t\t\t > [ SOURCE ] | Logger: Q", "\t\t\t\t\t\t > [ SOURCE ] | Logger: Q"].join("\n");
    const named = graphOf(below, "read left: KAFKA key, JSON value\nread right: KAFKA key, JSON value", { sources: ["L", "R"], sinks: [] });
    expect(named?.nodes.slice(0, 2).map((each) => each.name)).toEqual(["left", "right"]);
  });
  it("that cannot be read is none", () => {
    expect(graphOf("something else", "", { sources: [], sinks: [] })).toBeNull();
  });
});
