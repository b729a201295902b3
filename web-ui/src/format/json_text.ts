// JSON for the eye: numbers keep every digit, which JSON.parse would not, and repeated names are all there.
export type JsonNode =
  | { kind: "object"; entries: [string, JsonNode][] }
  | { kind: "array"; items: JsonNode[] }
  | { kind: "string"; text: string }
  | { kind: "number" | "word"; text: string };

const DEPTH_MAX = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

/** The tree of a text that is JSON, else null. */
export function parseJson(text: string): JsonNode | null {
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const skip = (character: string): boolean => {
    take(SPACE);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const value = (depth: number): JsonNode | null => {
    if (depth > DEPTH_MAX) return null;
    take(SPACE);
    if (skip("{")) return members(depth);
    if (skip("[")) return items(depth);
    const string = take(STRING);
    if (string !== null) return { kind: "string", text: JSON.parse(string) as string };
    const number = take(NUMBER);
    if (number !== null) return { kind: "number", text: number };
    const word = take(WORD);
    return word === null ? null : { kind: "word", text: word };
  };
  const members = (depth: number): JsonNode | null => {
    const entries: [string, JsonNode][] = [];
    if (skip("}")) return { kind: "object", entries };
    do {
      take(SPACE);
      const name = take(STRING);
      if (name === null || !skip(":")) return null;
      const node = value(depth + 1);
      if (node === null) return null;
      entries.push([JSON.parse(name) as string, node]);
    } while (skip(","));
    return skip("}") ? { kind: "object", entries } : null;
  };
  const items = (depth: number): JsonNode | null => {
    const found: JsonNode[] = [];
    if (skip("]")) return { kind: "array", items: found };
    do {
      const node = value(depth + 1);
      if (node === null) return null;
      found.push(node);
    } while (skip(","));
    return skip("]") ? { kind: "array", items: found } : null;
  };
  const root = value(0);
  take(SPACE);
  return root !== null && at === text.length ? root : null;
}

/** Indented text of a tree. */
export function writeJson(node: JsonNode, indent = ""): string {
  const inner = `${indent}  `;
  if (node.kind === "object") {
    if (node.entries.length === 0) return "{}";
    return `{\n${node.entries.map(([name, each]) => `${inner}${JSON.stringify(name)}: ${writeJson(each, inner)}`).join(",\n")}\n${indent}}`;
  }
  if (node.kind === "array") {
    if (node.items.length === 0) return "[]";
    return `[\n${node.items.map((each) => inner + writeJson(each, inner)).join(",\n")}\n${indent}]`;
  }
  return node.kind === "string" ? JSON.stringify(node.text) : node.text;
}

/** The path of a part, as the message browser's filter takes it: `$.order.items[0]`. */
export function jsonPath(parts: readonly (string | number)[]): string {
  return `$${parts.map((part) => (typeof part === "number" ? `[${part}]` : /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join("")}`;
}
