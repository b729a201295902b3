export interface TopicRow {
  name: string;
  is_internal: boolean;
  partitions: number;
  replication: number | null;
  under_replicated: number | null;
  offline: number | null;
  messages: number | null;
  size_bytes: number | null;
  bytes_in_per_s: number | null;
  bytes_out_per_s: number | null;
  groups: number | null;
  lag: number | null;
  cleanup_policy: string | null;
  retention_ms: number | null;
  spark: (number | null)[];
}

export interface Topic extends TopicRow {
  topic_id: string | null;
  /** null: they cannot be asked for now. */
  config_overrides: Record<string, string> | null;
  as_of_ms: number;
  stale_reason: string | null;
}

export interface TopicsTree {
  prefixes: { prefix: string; topics: number }[];
  topics: TopicRow[];
}

export interface Partition {
  partition: number;
  leader: number | null;
  replicas: number[];
  in_sync: number[];
  offline_replicas: number[];
  first_offset: number | null;
  next_offset: number | null;
  size_bytes: number | null;
}

export interface TopicConsumer {
  group: string;
  state: string;
  members: number | null;
  lag: number | null;
}

export interface NewTopic {
  name: string;
  /** null: the cluster's default. */
  partitions: number | null;
  replication: number | null;
  config: Record<string, string>;
}

/** As the server will judge it again: what a topic may be called. */
export function isTopicName(name: string): boolean {
  return /^[a-zA-Z0-9._-]{1,249}$/.test(name) && name !== "." && name !== "..";
}
