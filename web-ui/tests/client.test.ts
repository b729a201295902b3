import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, address, get, path, probe, send } from "../src/api/client";
import { mayAs, me, type Me } from "../src/api/me";

const ANA: Me = { name: "ana", role: "operator", login: "local", csrf: "one", read_only: false, version: "1", language: null };

function answers(...all: [number, unknown][]): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    asked.push(new Request(`http://console${url}`, { ...init, signal: null }));
    const [status, body] = all[Math.min(asked.length, all.length) - 1] ?? [500, null];
    return Promise.resolve(new Response(body === undefined ? null : JSON.stringify(body), { status }));
  });
  return asked;
}

afterEach(() => {
  vi.unstubAllGlobals();
  me.set(null);
});

describe("an address", () => {
  it("escapes every name in it", () => {
    expect(path`/clusters/${"a/b"}/topics/${"ç?#"}/x`).toBe("/clusters/a%2Fb/topics/%C3%A7%3F%23/x");
    expect(address("/x", { q: "a b", page: 1, none: null, empty: "", series: ["a", "b"] })).toBe("/api/v1/x?q=a+b&page=1&series=a&series=b");
  });
});

describe("a call", () => {
  it("fails with the server's own sentence", async () => {
    answers([404, { error_code: 40401, message: "There is no topic x." }]);
    await expect(get("/x")).rejects.toMatchObject({ status: 404, code: 40401, message: "There is no topic x." });
  });
  it("fails with a sentence where the server has none", async () => {
    answers([502, undefined]);
    await expect(get("/x")).rejects.toMatchObject({ status: 502, message: "The console's server answered with status 502." });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("fetch failed")));
    await expect(get("/x")).rejects.toEqual(new ApiError(0, "The console's server cannot be reached."));
  });
  it("shows the door when nobody is logged in any more", async () => {
    me.set(ANA);
    answers([401, { message: "Log in." }]);
    await expect(get("/x")).rejects.toThrow("Log in.");
    expect(me.get()?.role).toBeNull();
  });
});

describe("what is only tried", () => {
  it("may answer anything, and is refused as every call is", async () => {
    const asked = vi.fn(() => Promise.resolve(new Response("PAR1", { status: 200 })));
    vi.stubGlobal("fetch", asked);
    await expect(probe("/api/v1/x")).resolves.toBeUndefined();
    // A file is no JSON, and a server that is asked for JSON alone may not give one.
    expect(asked).toHaveBeenCalledWith("/api/v1/x", expect.objectContaining({ headers: { Accept: "*/*" } }));
    answers([501, { message: "Parquet needs pyarrow." }]);
    await expect(probe("/api/v1/x")).rejects.toThrow("Parquet needs pyarrow.");
  });
});

describe("a change", () => {
  it("carries the token, which reading does not", async () => {
    me.set(ANA);
    const asked = answers([204, undefined]);
    await send("DELETE", "/x");
    expect(asked[0]?.headers.get("X-Riacho-Csrf")).toBe("one");
    await get("/x");
    expect(asked[1]?.headers.get("X-Riacho-Csrf")).toBeNull();
  });
  it("asks for the token again, once, when the server has a new one", async () => {
    me.set(ANA);
    const asked = answers([403, { message: "Old token." }], [200, { ...ANA, csrf: "two" }], [204, undefined]);
    await send("POST", "/x", { a: 1 });
    expect(asked.map((each) => each.headers.get("X-Riacho-Csrf"))).toEqual(["one", null, "two"]);
  });
  it("is refused for good where the token is the same", async () => {
    me.set(ANA);
    const asked = answers([403, { message: "Only admins may." }], [200, ANA]);
    await expect(send("POST", "/x")).rejects.toThrow("Only admins may.");
    expect(asked).toHaveLength(2);
  });
});

describe("what a role may", () => {
  it("grows with the role and ends in read-only mode", () => {
    expect([mayAs(ANA, "viewer"), mayAs(ANA, "operator"), mayAs(ANA, "admin")]).toEqual([true, true, false]);
    expect(mayAs({ ...ANA, read_only: true }, "operator")).toBe(false);
    expect(mayAs(null, "viewer")).toBe(false);
  });
});
