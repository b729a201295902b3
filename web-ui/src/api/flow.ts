// Who writes to and reads from what.
export type FlowKind = "producer" | "topic" | "group" | "consumer" | "connector" | "query";

export interface FlowThing {
  id: string;
  kind: FlowKind;
  name: string;
  /** Of a producer and a consumer without a group: who they have logged in as. */
  principal: string | null;
  state: string | null;
  lag: number | null;
  is_internal: boolean;
}

export interface FlowStream {
  from: string;
  to: string;
  /** Bytes; null where it is not known. */
  rate_per_s: number | null;
}

export interface FlowMap {
  nodes: FlowThing[];
  edges: FlowStream[];
  left_out: number;
  /** Why there are no producers. */
  about: string | null;
}
