export interface Overview {
  brokers: { total: number; online: number };
  controller: number | null;
  quorum: { leader: number | null; epoch: number; voters: { id: number; lag: number | null; ms_behind: number | null }[] } | null;
  topics: number | null;
  partitions: number | null;
  under_replicated: number | null;
  offline: number | null;
  under_min_isr: number | null;
  bytes_in_per_s: number | null;
  bytes_out_per_s: number | null;
  messages_in_per_s: number | null;
  requests_per_s: number | null;
  disk: { used_bytes: number | null; total_bytes?: number | null; free_bytes: number | null };
  lag_top: { group: string; topic: string | null; lag: number | null }[];
  as_of_ms: number;
  stale_reason: string | null;
}
