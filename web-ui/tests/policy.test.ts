// What the Content-Security-Policy forbids, and what would let a message's text become a page.
import { describe, expect, it } from "vitest";
import page from "../index.html?raw";

const sources = import.meta.glob<string>(["../src/**/*.ts", "../src/**/*.tsx"], { query: "?raw", import: "default", eager: true });
const sheets = import.meta.glob<string>("../src/**/*.css", { query: "?raw", import: "default", eager: true });

function holding(pattern: RegExp, files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([name, text]) => (pattern.test(text) ? [name] : []));
}

describe("the sources", () => {
  it("write no HTML", () => {
    expect(holding(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet/, sources)).toEqual([]);
  });
  it("run no text as code", () => {
    expect(holding(/\beval\(|new Function\(|setAttribute\(\s*"(?:style|on)/, sources)).toEqual([]);
  });
  it("have no inline script or style in the page", () => {
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\son\w+=/);
  });
  it("name colours in tokens.css alone", () => {
    const others = Object.fromEntries(Object.entries(sheets).filter(([name]) => !name.endsWith("/tokens.css")));
    expect(Object.values(others).every((text) => text.includes("{"))).toBe(true);
    expect(holding(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/i, others)).toEqual([]);
  });
  it("ask nobody else for anything", () => {
    expect(holding(/@import|url\(\s*["']?https?:/, sheets)).toEqual([]);
    const asked = Object.entries(sources).flatMap(([name, text]) => [...text.matchAll(/https?:\/\/[\w.-]+/g)].map((found) => `${name} ${found[0]}`));
    // A base for parsing, and a standard that a comment cites.
    expect(asked.filter((each) => !/http:\/\/console$|https:\/\/html\.spec\.whatwg\.org$/.test(each))).toEqual([]);
  });
});
