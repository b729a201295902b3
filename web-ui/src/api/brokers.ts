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
  disk_free_bytes: number | null;
  software: string | null;
  uptime_s: number | null;
}

export interface LogDir {
  path: string;
  error: string | null;
  size_bytes: number | null;
  topics: number | null;
}

export interface Broker extends BrokerRow {
  log_dirs: LogDir[];
  config: ConfigEntry[];
}
