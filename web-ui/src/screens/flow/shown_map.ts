// What of the map is drawn: kinds that are wanted, and what flows through that which is looked for.
import type { FlowKind, FlowMap, FlowStream, FlowThing } from "../../api/flow";

export const KINDS: readonly FlowKind[] = ["producer", "connector", "topic", "query", "group", "consumer"];

export interface Wanted {
  q: string;
  hidden: ReadonlySet<FlowKind>;
  withInternal: boolean;
}

export interface ShownMap {
  nodes: FlowThing[];
  edges: FlowStream[];
}

export function hiddenOf(text: string | null): Set<FlowKind> {
  const named = new Set((text ?? "").split(","));
  return new Set(KINDS.filter((kind) => named.has(kind)));
}

export function shownMap(map: FlowMap, wanted: Wanted): ShownMap {
  const allowed = map.nodes.filter((node) => !wanted.hidden.has(node.kind) && (wanted.withInternal || !node.is_internal));
  let ids = new Set(allowed.map((node) => node.id));
  let edges = map.edges.filter((edge) => ids.has(edge.from) && ids.has(edge.to));
  const q = wanted.q.trim().toLowerCase();
  if (q !== "") {
    const meant = allowed.filter((node) => `${node.name}\n${node.principal ?? ""}`.toLowerCase().includes(q)).map((node) => node.id);
    ids = new Set([...reached(meant, edges, "to"), ...reached(meant, edges, "from")]);
    edges = edges.filter((edge) => ids.has(edge.from) && ids.has(edge.to));
    return { nodes: allowed.filter((node) => ids.has(node.id)), edges };
  }
  // What nothing flows to or from any more would only lie around.
  const joined = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  return { nodes: allowed.filter((node) => joined.has(node.id)), edges };
}

/** Everything down the stream ("to"), or up ("from"). */
function reached(start: readonly string[], edges: readonly FlowStream[], way: "to" | "from"): Set<string> {
  const next = new Map<string, string[]>();
  for (const edge of edges) {
    const here = way === "to" ? edge.from : edge.to;
    next.set(here, [...(next.get(here) ?? []), edge[way]]);
  }
  const found = new Set(start);
  // A set grows while it is walked.
  for (const id of found) for (const each of next.get(id) ?? []) found.add(each);
  return found;
}

/** How wide each stream is drawn, 0 to 1: by its logarithm, as rates differ by thousands. */
export function weight(rate: number | null, most: number): number | null {
  if (rate === null) return null;
  return rate <= 0 || most <= 0 ? 0 : Math.max(0.1, Math.min(1, Math.log10(1 + rate) / Math.log10(1 + most)));
}
