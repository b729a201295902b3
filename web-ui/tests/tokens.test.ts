// The contrast of WCAG 2 AA in both themes, of whatever is written on whatever.
import { describe, expect, it } from "vitest";
import css from "../src/tokens.css?raw";

const tokens = new Map([...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name = "", light = "", dark = ""]) => [name, { light, dark }]));

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ["ground", "surface", "raised", "hover", "selected"];
const WRITTEN: [string, string[]][] = [
  ...["text", "text-soft", "accent", "accent-strong", "good", "warning", "bad"].map((name): [string, string[]] => [name, GROUNDS]),
  ...["code-name", "code-text", "code-number", "code-word"].map((name): [string, string[]] => [name, ["surface", "raised", "ground"]]),
  ["on-accent", ["accent", "accent-strong"]],
  ["accent-strong", ["accent-wash"]],
  ["good", ["good-wash"]],
  ["warning", ["warning-wash"]],
  ["bad", ["bad-wash"]],
  ["text", ["good-wash", "bad-wash", "accent-wash"]],
  ["text-soft", ["good-wash", "bad-wash"]],
];
// Edges of fields, lines of charts: 3 to 1.
const DRAWN: [string, string[]][] = [["line-strong", ["surface", "raised"]], ...[1, 2, 3, 4, 5].map((n): [string, string[]] => [`series-${n}`, ["surface"]])];

describe.each(["light", "dark"] as const)("the %s theme", (theme) => {
  const check = (pairs: [string, string[]][], least: number): void => {
    for (const [front, backs] of pairs) {
      for (const back of backs) {
        const [one, other] = [tokens.get(front), tokens.get(back)];
        expect(one, front).toBeDefined();
        expect(other, back).toBeDefined();
        if (one && other) expect(contrast(one[theme], other[theme]), `${front} on ${back}`).toBeGreaterThanOrEqual(least);
      }
    }
  };
  it("can be read", () => check(WRITTEN, 4.5));
  it("can be seen", () => check(DRAWN, 3));
});
