import { describe, expect, it } from "vitest";
import { build, changed, match, parse } from "../src/router";

describe("a path and its pattern", () => {
  it("gives the names of the path, decoded", () => {
    expect(match("/clusters/:cluster/groups/:group", "/clusters/prod/groups/a%2Fb%20%3Cc%3E")).toEqual({ cluster: "prod", group: "a/b <c>" });
  });
  it("is refused where parts are too few, too many or others", () => {
    expect(match("/clusters/:cluster/topics", "/clusters/prod")).toBeNull();
    expect(match("/clusters/:cluster", "/clusters/prod/topics")).toBeNull();
    expect(match("/clusters/:cluster/topics", "/clusters/prod/groups")).toBeNull();
  });
  it("may leave an optional part out", () => {
    expect(match("/topics/:topic/:tab?", "/topics/orders")).toEqual({ topic: "orders" });
    expect(match("/topics/:topic/:tab?", "/topics/orders/config")).toEqual({ topic: "orders", tab: "config" });
  });
  it("that is not encoded as it should be matches nothing", () => {
    expect(match("/topics/:topic", "/topics/%E0%A4%A")).toBeNull();
  });
  it("comes back from what was built, whatever the names hold", () => {
    for (const group of ["plain", "a/b", "50%", "ça va?", "#1", "a&b=c", "../up", "<img src=x>"]) {
      const url = build("/clusters/:cluster/groups/:group/:tab?", { cluster: "c", group }, { q: group });
      const { path, query } = parse(url);
      expect(match("/clusters/:cluster/groups/:group/:tab?", path)).toEqual({ cluster: "c", group });
      expect(query.get("q")).toBe(group);
    }
  });
  it("cannot be built without a name that it needs", () => {
    expect(() => build("/clusters/:cluster", {})).toThrow("needs cluster");
  });
});

describe("a query", () => {
  it("drops what is empty, and equal states are equal texts", () => {
    const query = changed(new URLSearchParams("sort=lag&q=a"), { q: "", page: 2, internal: true, own: false });
    expect(query.toString()).toBe("internal=true&page=2&sort=lag");
    expect(changed(changed(new URLSearchParams(), { b: 1 }), { a: 2 }).toString()).toBe(changed(new URLSearchParams(), { a: 2, b: 1 }).toString());
  });
});
