// A plan as a graph: the tree that EXPLAIN tells, with the topics at its ends, as the topology has them.
import { duration } from "../../format/quantity";

export interface PlanStep {
  /** `FILTER`, `AGGREGATE`, … as the server calls it. */
  name: string;
  detail: string | null;
  schema: string | null;
  /** The step that this one feeds. */
  parent: number | null;
}

export interface PlanNode {
  id: string;
  kind: "topic" | "step" | "client";
  name: string;
  note: string | null;
}

export interface PlanGraph {
  nodes: PlanNode[];
  edges: { from: string; to: string }[];
}

const LINE = /^(\s*)>\s*\[\s*(.+?)\s*\](.*)$/;
const FIELD = / \| (Schema|Logger|Window): /;
const SOURCE = "SOURCE";
const SINK = "SINK";

/** One for each line, in their order: the sink first. */
export function stepsOf(plan: string): PlanStep[] {
  const found: (PlanStep & { depth: number })[] = [];
  for (const line of plan.split("\n")) {
    const parts = LINE.exec(line);
    if (parts === null) continue;
    const depth = (parts[1]?.match(/\t/g) ?? []).length;
    const fields = fieldsOf(parts[3] ?? "");
    // Sources of ours stand below each other; what they feed is the step above them all.
    const above = found.findLastIndex((each) => each.depth < depth && each.name !== SOURCE);
    found.push({ name: parts[2] ?? "", detail: fields["Window"] ?? null, schema: fields["Schema"] ?? null, parent: above === -1 ? null : above, depth });
  }
  return found.map(({ depth: _, ...step }) => step);
}

function fieldsOf(text: string): Record<string, string> {
  const [, ...parts] = text.split(FIELD);
  const found: Record<string, string> = {};
  for (let at = 0; at + 1 < parts.length; at += 2) found[parts[at] as string] = (parts[at + 1] as string).trim();
  return found;
}

/** The topics that are read and written, of our topology (`read orders: …`) and of Kafka Streams' (`(topics: [orders])`). */
export function topicsOf(topology: string): { read: string[]; written: string | null } {
  const own = [...topology.matchAll(/^read (.+?): .* key, .* value/gm)].map((found) => found[1] ?? "");
  const streams = [...topology.matchAll(/Source: \S+ \(topics: \[([^\]]*)\]\)/g)].flatMap((found) => (found[1] ?? "").split(",").map((name) => name.trim()));
  const written = /^write (.+?): .* key, .* value/m.exec(topology)?.[1] ?? /Sink: \S+ \(topic: ([^)]+)\)/.exec(topology)?.[1] ?? null;
  const isTopic = written !== null && written !== "to the client";
  return { read: [...new Set([...own, ...streams])], written: isTopic ? written : null };
}

export interface PlanEnds {
  sources: readonly string[];
  sinks: readonly string[];
}

/** From sources over steps to the sink; null where the plan cannot be read. */
export function graphOf(plan: string, topology: string, { sources, sinks }: PlanEnds): PlanGraph | null {
  const steps = stepsOf(plan);
  if (steps.length === 0) return null;
  const topics = topicsOf(topology);
  const nodes: PlanNode[] = [];
  const sourceSteps = steps.flatMap((step, at) => (step.name === SOURCE ? [at] : []));
  // Those that stand below each other have the last one first; branches are in their order.
  if (new Set(sourceSteps.map((at) => steps[at]?.parent)).size < sourceSteps.length) sourceSteps.reverse();
  steps.forEach((step, at) => {
    const id = `step ${at}`;
    if (step.name === SOURCE) {
      const place = sourceSteps.indexOf(at);
      const name = topics.read[place] ?? (sourceSteps.length === 1 ? topics.read[0] : undefined);
      nodes.push({ id, kind: name === undefined ? "step" : "topic", name: name ?? SOURCE, note: sources[place] ?? null });
    } else if (step.name === SINK && step.parent === null) {
      nodes.push(topics.written === null ? { id, kind: "client", name: "", note: null } : { id, kind: "topic", name: topics.written, note: sinks[0] ?? null });
    } else {
      nodes.push({ id, kind: "step", name: step.name.replaceAll("_", " "), note: step.detail === null ? null : windowNote(step.detail) });
    }
  });
  const edges = steps.flatMap((step, at) => (step.parent === null ? [] : [{ from: `step ${at}`, to: `step ${step.parent}` }]));
  return { nodes: nodes.reverse(), edges: edges.reverse() };
}

/** `TUMBLING 60000 ms, grace 86340000 ms` is `TUMBLING 1 min`: there is room for so much. */
function windowNote(window: string): string {
  const [, kind, size] = /^(\w+) (\d+) ms\b/.exec(window) ?? [];
  return kind === undefined ? window : `${kind} ${duration(Number(size))}`;
}
