// Statements after which something is gone for good: the page asks for them as its dialogs do for the same with a button,
// and as `riacho shell` does.
import { type Statement, wordsOf } from "./statements";

/** Of a source its topic goes too; `source`: it can be made again from its topic. */
export type DangerKind = "topic" | "source" | "connector" | "query" | "queries";

export interface Danger {
  kind: DangerKind;
  /** As the statement has it. */
  name: string;
}

const DROPPED: Record<string, DangerKind> = { STREAM: "source", TABLE: "source", TYPE: "source", CONNECTOR: "connector" };

export function dangerOf({ text }: Pick<Statement, "text">): Danger | null {
  const words = wordsOf(text);
  const upper = words.map((word) => word.toUpperCase());
  const [first = "", second = ""] = upper;
  if (first === "TERMINATE" && second !== "") return second === "ALL" ? { kind: "queries", name: "ALL" } : { kind: "query", name: words[1] ?? "" };
  const name = words[upper[2] === "IF" && upper[3] === "EXISTS" ? 4 : 2];
  const kind = DROPPED[second];
  if (first !== "DROP" || kind === undefined || name === undefined) return null;
  const takesTopic = upper.at(-2) === "DELETE" && upper.at(-1) === "TOPIC";
  return { kind: kind === "source" && takesTopic ? "topic" : kind, name };
}

/** What has to be typed for all of them; empty where a yes will do. */
export function typedName(dangers: readonly Danger[]): string {
  return dangers
    .filter((each) => each.kind !== "source")
    .map((each) => each.name)
    .join(", ");
}
