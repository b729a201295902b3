// Alerts: the rules of a cluster, and what fires.
export type AlertKind = "lag" | "under_replicated" | "offline" | "failed_tasks" | "failed_queries" | "disk" | "broker_down" | "cluster_down";

export interface AlertRule {
  name: string;
  kind: AlertKind;
  above: number;
  for_s: number;
  /** A group, connector, query or broker, `*` at the end for all that begin so; empty: any. */
  target: string;
  webhook: string | null;
  is_on: boolean;
}

export interface AlertSettings {
  rules: AlertRule[];
  webhooks: string[];
  kinds: AlertKind[];
}

export interface Alert {
  rule: string;
  kind: AlertKind;
  target: string;
  state: "firing" | "resolved";
  value: number;
  above: number;
  since_ms: number;
  at_ms: number;
  webhook: string | null;
}

export interface Firing {
  firing: Alert[];
  recent: Alert[];
}

export interface Delivery {
  is_delivered: boolean;
  status: number | null;
  reason: string | null;
}
