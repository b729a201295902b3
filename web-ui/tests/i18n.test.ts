import { describe, expect, it } from "vitest";
import { en } from "../src/i18n/en";
import { ptBR } from "../src/i18n/pt-BR";
import { type Entry, preferredLanguage, render } from "../src/i18n/text";

const english = en as Record<string, Entry>;
const portuguese = ptBR as Record<string, Entry>;
const forms = (entry: Entry): string[] => (typeof entry === "string" ? [entry] : [entry.one, entry.other]);
const holes = (entry: Entry): string[] => [...new Set(forms(entry).flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? "")))].sort();

const sources = import.meta.glob<string>(["../src/**/*.ts", "../src/**/*.tsx", "!../src/i18n/**"], { query: "?raw", import: "default", eager: true });

describe("the catalogue", () => {
  it("has the same keys in each language", () => {
    expect(Object.keys(portuguese).sort()).toEqual(Object.keys(english).sort());
  });
  it("has the same values to fill in, and no empty text", () => {
    for (const [key, entry] of Object.entries(english)) {
      const other = portuguese[key];
      expect(other, key).toBeDefined();
      if (other === undefined) continue;
      expect(holes(other), key).toEqual(holes(entry));
      expect([...forms(entry), ...forms(other)].every((form) => form.trim() !== ""), key).toBe(true);
    }
  });
  it("has no key that nothing uses", () => {
    const all = Object.values(sources).join("\n");
    // Keys that are put together: t(`role.${role}`).
    const built = [...all.matchAll(/`([a-z_]+\.[a-z_.]*)\$\{/g)].map((found) => found[1] ?? "");
    const unused = Object.keys(english).filter((key) => !all.includes(`"${key}"`) && !built.some((prefix) => key.startsWith(prefix)));
    expect(unused).toEqual([]);
  });
});

describe("a text", () => {
  it("is filled in, with numbers as the language writes them", () => {
    expect(render("{n} of {name}", "en", { n: 12_345, name: "<b>" })).toBe("12,345 of <b>");
    expect(render("{n}", "pt-BR", { n: 12_345 })).toBe("12.345");
    expect(render("{missing}", "en")).toBe("{missing}");
  });
  it("follows the number", () => {
    const entry = { one: "{n} row", other: "{n} rows" };
    expect([0, 1, 2].map((n) => render(entry, "en", { n }))).toEqual(["0 rows", "1 row", "2 rows"]);
  });
  it("is in the language that was chosen, else in the browser's", () => {
    expect(preferredLanguage("en", ["pt-BR"])).toBe("en");
    expect(preferredLanguage(null, ["de", "pt-PT", "en"])).toBe("pt-BR");
    expect(preferredLanguage(null, ["de"])).toBe("en");
  });
});
