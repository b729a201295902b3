import { Graph, layout } from "@dagrejs/dagre";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FlowEdge, FlowGraphProps, FlowNode } from "../FlowGraph";
import { graphScale, type Size } from "../graph_scale";
import "./flow_graph.css";

interface Box {
  width: number;
  nameMax: number;
}

const BOX: Box = { width: 176, nameMax: 24 };
/** Three columns of these fit a phone at a size that can be read; the whole name is in the title. */
const NARROW_BOX: Box = { width: 116, nameMax: 16 };
/** From here on nodes are one line high. */
const DENSE_FROM = 60;
/** Figures beside lines, and water that moves: only where there is room for them. */
const NOTES_MAX = 40;

/** A room of a phone: figures beside lines would take the place of the boxes. */
const NARROW = 560;

interface Point {
  x: number;
  y: number;
}

interface Placed {
  nodes: (FlowNode & { x: number; y: number })[];
  edges: (FlowEdge & { path: string; x: number; y: number })[];
  width: number;
  height: number;
  boxHeight: number;
}

export default function DagreGraph({ label, nodes, edges, isFitted = false, isRoomy = false, isClose = false }: FlowGraphProps) {
  const box = useRef<HTMLDivElement>(null);
  const room = useRoom(box, isRoomy);
  const [near, setNear] = useState<string | null>(null);
  const shape = nodes.map((each) => `${each.id}\t${each.column ?? ""}`).join("\n") + edges.map((each) => `${each.from}\t${each.to}`).join("\n");
  const isNarrow = room !== null && room.width < NARROW;
  const size = isNarrow ? NARROW_BOX : BOX;
  const ranksep = isNarrow ? 24 : isClose ? 32 : nodes.some((each) => each.column !== undefined) ? 144 : 96;
  const places = useMemo(() => placed(nodes, edges, ranksep, size), [shape, ranksep, size]);
  const scale = room === null ? 1 : graphScale(places, room, isFitted);
  const byId = new Map(nodes.map((each) => [each.id, each]));
  const weights = new Map(edges.map((each) => [`${each.from}\t${each.to}`, each]));
  const isCalm = isNarrow || edges.length > NOTES_MAX;
  const around = near === null || !byId.has(near) ? null : new Set([near, ...edges.flatMap((each) => (each.from === near ? [each.to] : each.to === near ? [each.from] : []))]);
  return (
    <div ref={box} class={`flow${isRoomy ? " roomy" : isFitted ? " fitted" : ""}`} tabIndex={0} role="region" aria-label={label}>
      <svg viewBox={`0 0 ${places.width} ${places.height}`} width={places.width * scale} height={places.height * scale} role="group" aria-label={label}>
        {places.edges.map((each) => {
          const now = weights.get(`${each.from}\t${each.to}`) ?? each;
          const width = now.weight === null ? "none" : Math.round(now.weight * 4);
          return (
            <g key={`${each.from} ${each.to}`} class={around !== null && near !== each.from && near !== each.to ? "dim" : ""}>
              <title>{`${byId.get(each.from)?.name ?? ""} → ${byId.get(each.to)?.name ?? ""}${now.note === undefined ? "" : `: ${now.note}`}`}</title>
              <path class={`flow-edge w${width}`} d={each.path} />
              {now.weight !== null && now.weight > 0 && !isCalm && <path class="flow-water" d={each.path} />}
            </g>
          );
        })}
        {places.edges.map((each) => {
          const note = (weights.get(`${each.from}\t${each.to}`) ?? each).note;
          const isNear = near === each.from || near === each.to;
          if (note === undefined || (around === null ? isCalm : !isNear)) return null;
          return (
            <text key={`${each.from} ${each.to}`} class="flow-note" x={each.x} y={each.y - 8}>
              {note}
            </text>
          );
        })}
        {places.nodes.map((each) => (
          <Node key={each.id} node={byId.get(each.id) ?? each} x={each.x} y={each.y} height={places.boxHeight} box={size} isDim={around !== null && !around.has(each.id)} onNear={setNear} />
        ))}
      </svg>
    </div>
  );
}

/** Around it, and for bars that would else come and go with its size. */
const ROOM_SPARE = 40;

function useRoom(box: { readonly current: HTMLDivElement | null }, isAsked: boolean): Size | null {
  const [room, setRoom] = useState<Size | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!isAsked || element === null) return;
    const measure = (): void => {
      const [width, height] = [element.offsetWidth - ROOM_SPARE, element.offsetHeight - ROOM_SPARE];
      setRoom((before) => (before?.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isAsked]);
  return room;
}

interface NodeProps {
  node: FlowNode;
  x: number;
  y: number;
  height: number;
  box: Box;
  isDim: boolean;
  onNear(id: string | null): void;
}

function Node({ node, x, y, height, box: { width, nameMax }, isDim, onNear }: NodeProps) {
  const name = node.name.length > nameMax ? `${node.name.slice(0, nameMax - 1)}…` : node.name;
  const isTall = node.note !== undefined && height > 32;
  const box = (
    <g
      class={`flow-node ${node.kind} ${node.status ?? ""}${isDim ? " dim" : ""}`}
      transform={`translate(${x - width / 2} ${y - height / 2})`}
      onPointerEnter={() => onNear(node.id)}
      onPointerLeave={() => onNear(null)}
    >
      <title>{`${node.kindName ?? node.kind}: ${node.name}${node.note === undefined ? "" : ` (${node.note})`}${node.about === undefined ? "" : `\n${node.about}`}`}</title>
      <rect width={width} height={height} rx={node.kind === "topic" ? 4 : height / 2} />
      <text class="flow-name" x={width / 2} y={isTall ? 17 : height / 2 + 4}>
        {name}
      </text>
      {isTall && (
        <text class="flow-figure" x={width / 2} y={31}>
          {node.note}
        </text>
      )}
    </g>
  );
  if (node.href === undefined) return box;
  return (
    <a href={node.href} onFocus={() => onNear(node.id)} onBlur={() => onNear(null)}>
      {box}
    </a>
  );
}

function placed(nodes: readonly FlowNode[], edges: readonly FlowEdge[], ranksep: number, box: Box): Placed {
  const isDense = nodes.length > DENSE_FROM;
  const boxHeight = isDense ? 24 : 40;
  const graph = new Graph();
  const columns = new Map(nodes.map((each) => [each.id, each.column]));
  const hasColumns = nodes.some((each) => each.column !== undefined);
  // The types know names of rankers only; the code also takes a function.
  const own = hasColumns ? { ranker: ((ranked: Graph) => rank(ranked, columns)) as unknown as string } : {};
  graph.setGraph({ rankdir: "LR", nodesep: isDense ? 6 : 16, edgesep: isDense ? 4 : 10, ranksep, marginx: 8, marginy: 16, ...own });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: box.width, height: boxHeight });
  for (const edge of edges) if (graph.hasNode(edge.from) && graph.hasNode(edge.to)) graph.setEdge(edge.from, edge.to);
  layout(graph);
  const size = graph.graph() as { width?: number; height?: number };
  return {
    nodes: nodes.map((node) => {
      const { x = 0, y = 0 } = graph.node(node.id) as { x?: number; y?: number };
      return { ...node, x, y };
    }),
    edges: edges.flatMap((edge) => {
      if (!graph.hasEdge(edge.from, edge.to)) return [];
      const bends = (graph.edge(edge.from, edge.to) as { points?: Point[] }).points ?? [];
      const points = threaded(graph.node(edge.from) as Point, graph.node(edge.to) as Point, bends, box.width);
      const middle = points[Math.floor(points.length / 2)] as Point;
      const before = points[Math.floor(points.length / 2) - 1] as Point;
      return [{ ...edge, path: curve(points), x: (before.x + middle.x) / 2, y: (before.y + middle.y) / 2 }];
    }),
    width: size.width ?? box.width,
    height: size.height ?? boxHeight,
    boxHeight,
  };
}

/** Every node as far left as what flows into it and its own column allow, so that things of a kind stand below each other. */
function rank(graph: Graph, columns: ReadonlyMap<string, number | undefined>): void {
  // The layout has made room for labels: a step between columns is two ranks long.
  const done = new Map<string, number>();
  const of = (id: string): number => {
    const known = done.get(id);
    if (known !== undefined) return known;
    // What the layout itself has put in has no column.
    const before = (graph.inEdges(id) ?? []).filter((edge) => columns.has(edge.v)).map((edge) => of(edge.v) + ((graph.edge(edge) as { minlen?: number }).minlen ?? 1));
    const value = Math.max(2 * (columns.get(id) ?? 0), ...before);
    done.set(id, value);
    return value;
  };
  for (const id of graph.nodes()) (graph.node(id) as { rank?: number }).rank = of(id);
}

/** From the side of one box to the side of the other; between neighbours the layout's own bends are not needed. */
function threaded(from: Point, to: Point, bends: readonly Point[], width: number): Point[] {
  const side = from.x <= to.x ? width / 2 : -width / 2;
  const between = bends.length > 3 ? bends.slice(1, -1) : [];
  return [{ x: from.x + side, y: from.y }, ...between, { x: to.x - side, y: to.y }];
}

/** A brook rather than a wire: it leaves and arrives level. */
function curve(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const before = points[index - 1];
      if (before === undefined) return `M${point.x} ${point.y}`;
      const half = (before.x + point.x) / 2;
      return `C${half} ${before.y} ${half} ${point.y} ${point.x} ${point.y}`;
    })
    .join("");
}
