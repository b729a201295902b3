import { afterEach, describe, expect, it, vi } from "vitest";
import { CSRF_HEADER } from "../src/api/client";
import { me } from "../src/api/me";
import { backOffMs, openStream, RETRY_MS, SseParser, type StreamEvent } from "../src/api/sse";

const STREAM = "\ufeffretry: 700\n\n: still here\n\nevent: message\nid: 4\ndata: {\"a\":1}\n\ndata: one\ndata:two\r\n\r\nevent: empty\n\nevent: progress\rdata: 3\r\r";

function read(pieces: readonly string[]): { events: StreamEvent[]; retryMs: number | null } {
  const parser = new SseParser();
  return { events: pieces.flatMap((piece) => parser.push(piece)), retryMs: parser.retryMs };
}

describe("an event stream", () => {
  const whole = read([STREAM, "\n"]);
  it("is taken apart as the standard says", () => {
    expect(whole.events).toEqual([
      { name: "message", data: '{"a":1}', id: "4" },
      { name: "message", data: "one\ntwo", id: "4" },
      { name: "progress", data: "3", id: "4" },
    ]);
    expect(whole.retryMs).toBe(700);
  });
  it("is the same however it is cut", () => {
    for (let at = 1; at < STREAM.length; at += 1) {
      expect(read([STREAM.slice(0, at), STREAM.slice(at), "\n"])).toEqual(whole);
    }
    expect(read([...STREAM, "\n"])).toEqual(whole);
  });
  it("tells nothing of an event that has not ended", () => {
    expect(read(["data: half\n"]).events).toEqual([]);
  });
});

describe("coming back", () => {
  it("takes longer each time, up to a bound, and not all at once", () => {
    expect(backOffMs(0, 1)).toBe(RETRY_MS.first);
    expect(backOffMs(0, 0)).toBe(RETRY_MS.first / 2);
    expect(backOffMs(3, 1)).toBe(RETRY_MS.first * 8);
    expect(backOffMs(1000, 1)).toBe(RETRY_MS.most);
  });
});

describe("opening a stream", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    me.set(null);
  });
  const opened = async (body?: unknown): Promise<RequestInit> => {
    me.set({ name: "ana", role: "admin", login: "none", csrf: "token-1", read_only: false, version: "1", language: null });
    const asked = vi.fn((_url: string, _how: RequestInit) => Promise.resolve(new Response('event: row\ndata: {"n":1}\n\n')));
    vi.stubGlobal("fetch", asked);
    const events: unknown[] = [];
    await new Promise<void>((ended) => {
      openStream("/api/v1/rows", {
        once: true,
        ...(body === undefined ? {} : { body }),
        onEvent: (name, data) => events.push([name, data]),
        onState: (state) => state === "ended" && ended(),
      });
    });
    expect(events).toEqual([["row", { n: 1 }]]);
    expect(asked).toHaveBeenCalledTimes(1);
    return asked.mock.calls[0]?.[1] ?? {};
  };
  it("asks without a token", async () => {
    const how = await opened();
    expect(how.method).toBeUndefined();
    expect(how.headers).toEqual({ Accept: "text/event-stream" });
  });
  it("posts what does not fit into a URL, with the token that changes need", async () => {
    const how = await opened({ sql: "SELECT 1;" });
    expect(how.method).toBe("POST");
    expect(how.body).toBe('{"sql":"SELECT 1;"}');
    expect(how.headers).toEqual({ Accept: "text/event-stream", "Content-Type": "application/json", [CSRF_HEADER]: "token-1" });
  });
  it("asks once for the token of a server that has started again", async () => {
    const known = { name: "ana", role: "admin" as const, login: "none" as const, csrf: "old", read_only: false, version: "1", language: null };
    me.set(known);
    const asked = vi.fn((url: string, how: RequestInit) => {
      if (url.endsWith("/me")) return Promise.resolve(Response.json({ ...known, csrf: "new" }));
      const token = (how.headers as Record<string, string>)[CSRF_HEADER];
      return Promise.resolve(token === "new" ? new Response("event: row\ndata: 1\n\n") : Response.json({ message: "no" }, { status: 403 }));
    });
    vi.stubGlobal("fetch", asked);
    const events: unknown[] = [];
    await new Promise<void>((ended) => {
      openStream("/api/v1/rows", { once: true, body: {}, onEvent: (name) => events.push(name), onState: (state) => state === "ended" && ended() });
    });
    expect(events).toEqual(["row"]);
    expect(asked).toHaveBeenCalledTimes(3);
  });
});
