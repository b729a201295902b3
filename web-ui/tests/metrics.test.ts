import { describe, expect, it } from "vitest";
import { aligned, isAnythingKnown, lastKnown, seriesName } from "../src/screens/metrics/series";
import { marked, timeRange } from "../src/screens/metrics/time_range";

const NOW = 1_700_000_123_456;
const range = (text: string) => timeRange(new URLSearchParams(text), NOW);

describe("the time range", () => {
  it("is the last hour, and stands still within a step", () => {
    const { fromMs, toMs, range: name } = range("");
    expect([toMs - fromMs, toMs % 10_000, name]).toEqual([3_600_000, 0, "1h"]);
    expect(timeRange(new URLSearchParams(), NOW + 5000)).toEqual(range(""));
  });
  it("is what the URL says, and the usual one where that is nonsense", () => {
    expect(range("range=24h").toMs % 60_000).toBe(0);
    expect(range("from=1000000&to=1100000")).toEqual({ fromMs: 1_000_000, toMs: 1_100_000, range: null });
    for (const wrong of ["range=toString", "from=1&to=x", "from=2000000&to=1000000", "from=1000&to=90000000000"]) expect(range(wrong).range, wrong).toBe("1h");
  });
  it("of what is marked is at least a minute", () => {
    expect(marked(1_000_000, 1_000_010)).toEqual({ from: 970_005, to: 1_030_005, range: null });
    expect(range(`from=${marked(1e9, 1e9 + 7).from}&to=${marked(1e9, 1e9 + 7).to}`).range).toBeNull();
  });
});

describe("series", () => {
  it("are named with what a value may hold escaped", () => {
    expect(seriesName("lag")).toBe("lag");
    expect(seriesName("group_lag", { group: 'a"b\\c' })).toBe('group_lag{group="a\\"b\\\\c"}');
  });
  it("share their times, and have gaps where one lacks a value", () => {
    const series = [
      { name: "in", labels: {}, points: [[10, 1], [20, null], [30, 3]] as [number, number | null][] },
      { name: "out", labels: {}, points: [[20, 5]] as [number, number | null][] },
    ];
    expect(aligned(series, ["in", "out", "none"])).toEqual({ times: [10, 20, 30], values: [[1, null, 3], [null, 5, null], [null, null, null]] });
    expect([lastKnown([1, 0, null]), lastKnown([null])]).toEqual([0, null]);
  });
});

describe("a time of which nothing is known", () => {
  it("has no series, or gaps alone", () => {
    expect([[], [{ name: "a", points: [] }], [{ name: "a", points: [[1, null]] }]].map((each) => isAnythingKnown(each as never))).toEqual([false, false, false]);
    expect(isAnythingKnown([{ name: "a", labels: {}, points: [[1, null], [2, 0]] }])).toBe(true);
  });
});
