import type { ConfigEntry } from "./configs";

export interface BrokerRow {
  id: number;
  host: string;
  port: number;
  rack: string | null;
  is_controller: boolean;
  is_fenced: boolean;
  leaders: number | null;
  replicas: number | null;
  in_sync: number | null;
  disk_used_bytes: number | null;
  /** Of the volumes that it lies on, each counted once; others' files may take room there too. */
  disk_total_bytes: number | null;
  disk_free_bytes: number | null;
  software: string | null;
  uptime_s: number | null;
}

export interface LogDir {
  path: string;
  error: string | null;
  size_bytes: number | null;
  /** Of its volume. */
  total_bytes: number | null;
  free_bytes: number | null;
  topics: number | null;
}

export interface Broker extends BrokerRow {
  log_dirs: LogDir[];
  /** When these were read. */
  log_dirs_as_of_ms?: number | null;
  config: ConfigEntry[];
  /** Why the broker itself did not tell of its disks and settings. */
  details_missing: string | null;
  as_of_ms: number;
  stale_reason: string | null;
}

export interface BrokerReplica {
  topic: string;
  partition: number;
  is_leader: boolean;
  is_in_sync: boolean;
  leader: number | null;
  replicas: number[];
  in_sync: number[];
  offline_replicas: number[];
  size_bytes: number | null;
}
