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

/** Indented text of a tree. What holds no objects and fits into `width` characters stays on one line: a field of a schema. */
export function writeJson(node: JsonNode, indent = "", width = 0): string {
  if (node.kind !== "object" && node.kind !== "array") return node.kind === "string" ? JSON.stringify(node.text) : node.text;
  const [first, last] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  const children = node.kind === "object" ? node.entries.map(([, each]) => each) : node.items;
  if (children.length === 0) return first + last;
  const label = (index: number): string => (node.kind === "object" ? `${JSON.stringify(node.entries[index]?.[0])}: ` : "");
  if (width > 0 && children.every((each) => isFlat(each))) {
    const parts = children.map((each, index) => label(index) + writeJson(each, "", Number.MAX_SAFE_INTEGER)).join(", ");
    const line = node.kind === "object" ? `{ ${parts} }` : `[${parts}]`;
    if (indent.length + line.length <= width) return line;
  }
  const inner = `${indent}  `;
  return `${first}\n${children.map((each, index) => inner + label(index) + writeJson(each, inner, width)).join(",\n")}\n${indent}${last}`;
}

/** A value, or a list of values. */
function isFlat(node: JsonNode): boolean {
  return node.kind === "array" ? node.items.every((each) => each.kind !== "array" && each.kind !== "object") : node.kind !== "object";
}

/** The path of a part, as the message browser's filter takes it: `$.order.items[0]`. */
export function jsonPath(parts: readonly (string | number)[]): string {
  return `$${parts.map((part) => (typeof part === "number" ? `[${part}]` : /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join("")}`;
}
