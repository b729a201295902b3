import { describe, expect, it } from "vitest";

const components = import.meta.glob("../src/components/*.tsx");
const shown = import.meta.glob<string>("../src/screens/components/*.tsx", { query: "?raw", import: "default", eager: true });
/** What draws nothing by itself. */
const MECHANISMS = ["lazy"];

describe("the page of components", () => {
  it("shows each of them", () => {
    const names = Object.keys(components).map((path) => path.replace(/^.*\//, "").replace(/\.tsx$/, ""));
    expect(names.length).toBeGreaterThan(20);
    const sources = Object.values(shown).join("\n");
    expect(names.filter((name) => !MECHANISMS.includes(name) && !sources.includes(`"../../components/${name}"`))).toEqual([]);
  });
});
