import { type FlowEdge, FlowGraph, type FlowNode } from "../../components/FlowGraph";
import { t } from "../../i18n/text";

const NODES: readonly FlowNode[] = [
  { id: "p1", kind: "producer", name: "checkout", about: "Logged in as User:shop", note: "48 MiB/s" },
  { id: "p2", kind: "producer", name: "mobile" },
  { id: "t1", kind: "topic", name: "orders.created", href: "/components" },
  { id: "t2", kind: "topic", name: "a topic with quite a long name indeed" },
  { id: "g1", kind: "group", name: "billing-service", note: "lag 1,725" },
  { id: "c1", kind: "connector", name: "warehouse-sink", note: "failed", status: "bad" },
  { id: "c2", kind: "connector", name: "archive", note: "paused", status: "warning" },
];
const EDGES: readonly FlowEdge[] = [
  { from: "p1", to: "t1", weight: 1, note: "48 MiB/s" },
  { from: "p2", to: "t1", weight: 0.2 },
  { from: "p2", to: "t2", weight: null },
  { from: "t1", to: "g1", weight: 0.6 },
  { from: "t1", to: "c1", weight: 0.4 },
  { from: "t2", to: "c1", weight: 0 },
  { from: "t2", to: "c2", weight: 0.3 },
];

const BARE = EDGES.map(({ from, to, weight }): FlowEdge => ({ from, to, weight }));

/** As it is drawn, as small as its room, and in the middle of a room of its own. */
export function Graphs() {
  return (
    <div class="stack">
      <FlowGraph label={t("flow.label")} nodes={NODES} edges={EDGES} />
      <div class="gallery-narrow">
        <FlowGraph label={t("flow.label")} nodes={NODES} edges={BARE} isFitted isClose />
      </div>
      <div class="panel gallery-room">
        <FlowGraph label={t("flow.label")} nodes={NODES} edges={EDGES} isRoomy />
      </div>
    </div>
  );
}
