import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RowRun } from "../src/screens/sql/row_run";
import { statementsOf } from "../src/screens/sql/statements";

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const HEADER = event("header", { query_id: "q", columns: [{ name: "ID", type: "STRING" }] });

function open(sql: string) {
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined;
  const asked = vi.fn((_url: string, how: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        feed = controller;
        how.signal?.addEventListener("abort", () => controller.error(new DOMException("aborted", "AbortError")));
      },
    });
    return Promise.resolve(new Response(body));
  });
  vi.stubGlobal("fetch", asked);
  const [statement] = statementsOf(sql);
  if (statement === undefined) throw new Error("no statement");
  const run = new RowRun("/clusters/c/sql/query", statement, { "auto.offset.reset": "earliest" });
  const tell = async (...events: string[]): Promise<void> => {
    await vi.waitFor(() => expect(feed).toBeDefined());
    for (const each of events) feed?.enqueue(new TextEncoder().encode(each));
  };
  return { run, tell, asked, close: () => feed?.close() };
}

describe("rows under way", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("are shown as they come, the newest first, until the last word", async () => {
    const { run, tell, asked } = open("SELECT id FROM a EMIT CHANGES LIMIT 2;");
    await tell(HEADER, event("rows", { rows: [["a"], ["b"]] }), event("done", { rows: 2 }));
    expect(await run.ended).toBe("done");
    expect(run.shown.get()).toMatchObject({ state: "done", count: 2, columns: [{ name: "ID" }] });
    expect(run.shown.get().rows.map((row) => row.cells[0])).toEqual(["b", "a"]);
    expect(JSON.parse(String(asked.mock.calls[0]?.[1].body))).toEqual({ sql: "SELECT id FROM a EMIT CHANGES LIMIT 2;", properties: { "auto.offset.reset": "earliest" } });
  });
  it("wait while they are held, and are there when that ends", async () => {
    const { run, tell } = open("SELECT id FROM a EMIT CHANGES;");
    await tell(HEADER, event("rows", { rows: [["a"]] }));
    await vi.waitFor(() => expect(run.shown.get().rows).toHaveLength(1));
    run.hold(true);
    await tell(event("rows", { rows: [["b"]] }));
    await vi.waitFor(() => expect(run.shown.get().waiting).toBe(1));
    expect(run.shown.get().rows).toHaveLength(1);
    run.hold(false);
    expect(run.shown.get()).toMatchObject({ count: 2, waiting: 0, isHeld: false });
    run.stop();
    expect(await run.ended).toBe("stopped");
    run.hold(true);
    expect(run.shown.get().isHeld).toBe(false);
  });
  it("that end without a last word were lost", async () => {
    const { run, tell, close } = open("SELECT id FROM a EMIT CHANGES;");
    await tell(HEADER);
    close();
    expect(await run.ended).toBe("lost");
  });
  it("tell why they are refused", async () => {
    const { run, tell } = open("SELECT x FROM a;");
    await tell(event("problem", { message: "Line: 1, Col: 8: no x" }));
    expect(await run.ended).toBe("refused");
    expect(run.shown.get().problem).toBe("Line: 1, Col: 8: no x");
  });
  it("of PRINT are lines", async () => {
    const { run, tell } = open("PRINT a;");
    await tell(event("lines", { lines: ["one", "two"] }), event("done", { rows: 2 }));
    await run.ended;
    expect(run.shown.get().rows.map((row) => row.cells[0])).toEqual(["two", "one"]);
  });
});
