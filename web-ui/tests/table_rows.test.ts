import { afterEach, describe, expect, it, vi } from "vitest";
import { allRows } from "../src/api/list";
import { csvTable } from "../src/components/DataTable";
import { fitting, inSight, nextSort, parseSort, sorted, stepTop } from "../src/components/table_rows";
import { toasts } from "../src/components/toasts";

describe("the order of rows", () => {
  const rows = [{ n: 2 }, { n: null }, { n: 10 }, { n: 0 }];
  it("has unknown values last, up and down", () => {
    expect(sorted(rows, (row) => row.n, false).map((row) => row.n)).toEqual([0, 2, 10, null]);
    expect(sorted(rows, (row) => row.n, true).map((row) => row.n)).toEqual([10, 2, 0, null]);
  });
  it("takes numbers inside of texts as numbers", () => {
    expect(sorted(["t-10", "t-9", "T-1"], (row) => row, false)).toEqual(["T-1", "t-9", "t-10"]);
  });
  it("keeps equal rows as they were", () => {
    const equal = [{ id: "a", n: 1 }, { id: "b", n: 1 }, { id: "c", n: 1 }];
    expect(sorted(equal, (row) => row.n, true).map((row) => row.id)).toEqual(["a", "b", "c"]);
  });
  it("starts with the largest number and with the first name", () => {
    expect(nextSort("name", "lag", true)).toBe("-lag");
    expect(nextSort("-lag", "lag", true)).toBe("lag");
    expect(nextSort("-lag", "name", false)).toBe("name");
    expect(parseSort("-lag")).toEqual({ column: "lag", isDescending: true });
    expect(parseSort("")).toBeNull();
  });
});

describe("columns", () => {
  const columns = [
    { id: "name", width: 200, priority: 1 },
    { id: "size", width: 100, priority: 2 },
    { id: "in", width: 100, priority: 3 },
    { id: "out", width: 100, priority: 3 },
  ];
  it("leave by their priority until the rest has room", () => {
    expect(fitting(columns, 500).map((column) => column.id)).toEqual(["name", "size", "in", "out"]);
    expect(fitting(columns, 430).map((column) => column.id)).toEqual(["name", "size", "in"]);
    expect(fitting(columns, 300).map((column) => column.id)).toEqual(["name", "size"]);
    expect(fitting(columns, 50).map((column) => column.id)).toEqual(["name"]);
  });
});

describe("rows in sight", () => {
  it("are few of many, wherever one has scrolled to", () => {
    expect(inSight(100_000, 24, 0, 480, 10)).toEqual({ start: 0, end: 30 });
    const { start, end } = inSight(100_000, 24, 1_200_000, 480, 10);
    expect(start).toBe(49_990);
    expect(end).toBe(50_030);
    expect(inSight(100_000, 24, 2_400_000, 480, 10).end).toBe(100_000);
    expect(inSight(3, 24, 900, 480)).toEqual({ start: 0, end: 3 });
  });

  it("draws all that is in sight between two steps, and nothing anew within one", () => {
    const drawn = new Set<number>();
    for (let top = 0; top <= 4800; top += 7) {
      const { start, end } = inSight(100_000, 24, stepTop(top, 24), 480);
      expect(start).toBeLessThanOrEqual(Math.floor(top / 24));
      expect(end).toBeGreaterThanOrEqual(Math.ceil((top + 480) / 24));
      drawn.add(start * 1_000_000 + end);
    }
    expect(drawn.size).toBeLessThanOrEqual(4800 / (4 * 24) + 1);
  });
});

describe("a list as a file", () => {
  const columns = [{ id: "name", value: (row: { name: string }) => row.name }, { id: "do", value: () => null, isAction: true }];
  afterEach(() => {
    vi.unstubAllGlobals();
    toasts.set([]);
  });
  it("has all pages, up to a bound, and how many there are", async () => {
    vi.stubGlobal("fetch", (url: string) => {
      const page = Number(new URL(url, "http://console").searchParams.get("page"));
      return Promise.resolve(new Response(JSON.stringify({ items: [{ name: `${page}a` }, { name: `${page}b` }], total: 5 })));
    });
    const found = await allRows<{ name: string }>("/x", {}, 4);
    expect(found.rows.map((row) => row.name)).toEqual(["1a", "1b", "2a", "2b"]);
    expect(found.total).toBe(5);
  });
  it("says where it ends before the list does", () => {
    expect(csvTable(columns, { rows: [{ name: "a" }], total: 1 })).toEqual([["name"], ["a"]]);
    expect(toasts.get()).toEqual([]);
    csvTable(columns, { rows: [{ name: "a" }], total: 20_001 });
    expect(toasts.get().map((each) => each.text)).toEqual(["The file has the first 1 of 20,001 rows: a search makes the list shorter."]);
  });
});
