// Things and what flows between them, laid out from left to right. The layout's code comes with the first one.
import { lazy } from "./lazy";
import type { Status } from "./StatusMark";

export interface FlowNode {
  id: string;
  name: string;
  kind: string;
  /** The kind in the reader's language. */
  kindName?: string;
  /** A figure below the name. */
  note?: string;
  /** For who points at it. */
  about?: string;
  href?: string;
  status?: Status;
  /** It stands in this column from the left, or further right. */
  column?: number;
}

export interface FlowEdge {
  from: string;
  to: string;
  /** Beside the line. */
  note?: string;
  /** 0 to 1: how wide the stream is. null: not known, and dashed. */
  weight: number | null;
}

export interface FlowGraphProps {
  label: string;
  nodes: readonly FlowNode[];
  edges: readonly FlowEdge[];
  /** As small as the room is. */
  isFitted?: boolean;
  /** It has a room of its own, whose middle it takes: it grows to fill it, and shrinks as far as it can be read. */
  isRoomy?: boolean;
  /** Steps that follow each other, with nothing beside their lines: they stand close. */
  isClose?: boolean;
}

export const FlowGraph = lazy<FlowGraphProps>(() => import("./lazy_parts/DagreGraph"));
