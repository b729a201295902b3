import { describe, expect, it } from "vitest";
import type { Cluster } from "../src/api/clusters";
import type { Overview } from "../src/api/overview";
import { match } from "../src/router";
import { runs } from "../src/components/Sparkline";
import { partitionsOf, resetRequest } from "../src/screens/groups/reset_request";
import { health } from "../src/screens/overview/health";
import { river } from "../src/screens/overview/river";
import { SCREENS } from "../src/screens/table";
import { TOPIC_TABS } from "../src/screens/topics/tabs";
import { isOffered } from "../src/shell/Nav";
import { score } from "../src/shell/score";

const FINE: Overview = {
  brokers: { total: 3, online: 3 },
  controller: 1,
  quorum: null,
  topics: 1,
  partitions: 1,
  under_replicated: 0,
  offline: 0,
  under_min_isr: 0,
  bytes_in_per_s: 1,
  bytes_out_per_s: 1,
  messages_in_per_s: 1,
  requests_per_s: 1,
  disk: { used_bytes: 1, total_bytes: null, free_bytes: null },
  lag_top: [],
  as_of_ms: 0,
  stale_reason: null,
};
const UP = { state: "up" as const, reason: null };

describe("the table of screens", () => {
  it("has each path, shortcut and tab once", () => {
    const paths = SCREENS.map((screen) => screen.path);
    const shortcuts = SCREENS.flatMap((screen) => screen.shortcut ?? []);
    const tabs = TOPIC_TABS.map((tab) => tab.id);
    for (const all of [paths, shortcuts, tabs]) expect(all).toEqual([...new Set(all)]);
  });
  it("offers a screen where the cluster has one of the services that it needs", () => {
    const screen = (path: string) => SCREENS.find((each) => each.path === path) ?? SCREENS[0]!;
    const cluster = (has: Partial<Cluster["has"]>): Cluster => ({ id: "x", name: "x", color: null, state: "up", reason: null, as_of_ms: null, is_riacho: true, kafka_version: null, has: { schema_registry: false, connect: false, ksql: false, metrics: false, ...has } });
    const offered = (path: string, has: Partial<Cluster["has"]>) => isOffered(screen(`/clusters/:cluster/${path}`), cluster(has));
    expect([offered("connectors", {}), offered("connectors", { ksql: true }), offered("connectors", { connect: true })]).toEqual([false, false, true]);
    expect([offered("pipelines", {}), offered("pipelines", { ksql: true }), offered("pipelines", { connect: true })]).toEqual([false, true, true]);
    expect(offered("topics", {})).toBe(true);
  });
  it("has no path that an earlier one takes", () => {
    for (const [index, screen] of SCREENS.entries()) {
      const sample = screen.path.replace(/\/:\w+\?$/, "").replaceAll(/:\w+/g, "x");
      expect(SCREENS.findIndex((each) => match(each.path, sample) !== null), screen.path).toBe(index);
    }
  });
});

describe("health", () => {
  it("is good only when everything is known to be", () => {
    expect(health(UP, FINE).status).toBe("good");
    expect(health(UP, { ...FINE, under_min_isr: null }).status).toBe("unknown");
    expect(health(UP, FINE, true).status).toBe("warning");
  });
  it("tells the worst first", () => {
    const told = health(UP, { ...FINE, brokers: { total: 3, online: 2 }, under_replicated: 4 });
    expect(told.status).toBe("bad");
    expect(told.sentences).toEqual(["1 broker is away.", "4 partitions lack a replica in sync."]);
    expect(health({ state: "down", reason: "No broker answers." }, FINE).sentences).toEqual(["No broker answers."]);
  });
});

describe("the river", () => {
  const at = (ms: number, bytesIn: number | null) => ({ ms, bytesIn, bytesOut: bytesIn, messagesIn: null });
  it("has a gap where nothing is known, and where nobody asked for long", () => {
    expect(river([at(1000, 5), at(2000, null), at(3000, 5)], 4000).above).toHaveLength(2);
    expect(river([at(1000, 5), at(100_000, 5)], 101_000).above).toHaveLength(2);
    expect(river([at(1000, 5), at(3000, 6)], 4000).above).toHaveLength(1);
  });
  it("ends where the window does", () => {
    expect(river([at(1000, 5)], 3_600_000)).toEqual({ above: [], below: [], most: 1 });
  });
});

describe("a sparkline", () => {
  it("is as many lines as there are runs of known values", () => {
    expect(runs([1, 2, null, 3, null, null, 4, 4], 70, 16)).toHaveLength(3);
    expect(runs([], 70, 16)).toEqual([]);
    expect(runs([0, 0], 70, 16)).toEqual(["0,15 70,15"]);
  });
});

describe("a reset", () => {
  const offsets = [{ topic: "a" }, { topic: "a" }, { topic: "b" }];
  const form = { to: "earliest" as const, value: "", topic: "", partitions: "" };
  it("is of every topic of the group, or of what was named", () => {
    expect(resetRequest(form, offsets)).toEqual({ topics: { a: null, b: null }, to: "earliest", value: null });
    expect(resetRequest({ ...form, topic: "a", partitions: "0, 2-4" }, offsets)?.topics).toEqual({ a: [0, 2, 3, 4] });
  });
  it("waits until it is whole", () => {
    expect(resetRequest({ ...form, to: "offset", value: "" }, offsets)).toBeNull();
    expect(resetRequest({ ...form, to: "offset", value: "-1" }, offsets)).toBeNull();
    expect(resetRequest({ ...form, to: "shift", value: "0" }, offsets)).toBeNull();
    expect(resetRequest({ ...form, to: "time", value: "soon" }, offsets)).toBeNull();
    expect(resetRequest({ ...form, to: "group", value: " " }, offsets)).toBeNull();
    expect(resetRequest({ ...form, topic: "a", partitions: "x" }, offsets)).toBeNull();
    expect(resetRequest(form, [])).toBeNull();
  });
  it("takes steps back and times of the browser's zone", () => {
    expect(resetRequest({ ...form, to: "shift", value: "-100" }, offsets)?.value).toBe(-100);
    expect(resetRequest({ ...form, to: "time", value: "2026-01-02T03:04:05" }, offsets)?.value).toBe(new Date(2026, 0, 2, 3, 4, 5).getTime());
  });
  it("knows ranges of partitions", () => {
    expect(partitionsOf("3,1, 1-2")).toEqual([1, 2, 3]);
    expect(partitionsOf("4-2")).toBeNull();
    expect(partitionsOf("0-999999")).toBeNull();
  });
});

describe("the palette", () => {
  it("likes a beginning more than letters in order", () => {
    const titles = ["Overview", "Topics", "orders.created", "reorder"];
    const best = (typed: string) => [...titles].sort((one, other) => score(typed, other) - score(typed, one))[0];
    expect(best("ord")).toBe("orders.created");
    expect(best("tpc")).toBe("Topics");
    expect(score("topicos", "Tópicos")).toBeGreaterThan(90);
    expect(score("xyz", "Topics")).toBe(0);
  });
});
