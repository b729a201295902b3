export interface GroupRow {
  id: string;
  type: "consumer" | "classic" | "share" | "streams";
  state: string;
  members: number | null;
  topics: number | null;
  lag: number | null;
  coordinator: number | null;
  protocol: string | null;
}

export interface GroupMember {
  id: string;
  client_id: string;
  host: string;
  instance_id: string | null;
  partitions: { topic: string; partition: number }[];
}

export interface GroupOffset {
  topic: string;
  partition: number;
  committed: number | null;
  next_offset: number | null;
  lag: number | null;
  member: string | null;
  metadata: string | null;
}

export interface Group extends Omit<GroupRow, "members" | "topics"> {
  /** Like the offsets one by one: none while it is shown as it was last seen. */
  members: GroupMember[];
  member_count: number | null;
  offsets: GroupOffset[];
  topics: { topic: string; lag: number | null }[];
  as_of_ms: number;
  /** Why it is shown as it was last seen. */
  stale_reason: string | null;
}

export type ResetTo = "earliest" | "latest" | "offset" | "time" | "shift" | "group";

export interface ResetRequest {
  topics: Record<string, number[] | null>;
  to: ResetTo;
  value: number | string | null;
}

export interface ResetRow {
  topic: string;
  partition: number;
  old: number | null;
  new: number;
  change: number | null;
}

export interface ResetPreview {
  rows: ResetRow[];
  refused: string | null;
}
