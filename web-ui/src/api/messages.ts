export type TimestampType = "create_time" | "log_append_time";

export interface DecodedAs {
  /** "null" where there is no key, and for a tombstone. */
  format: string;
  schema_id: number | null;
  /** Why it is not shown as what it may be. */
  reason: string | null;
}

/** `key` and `value` are null where there is none, and "" where they are empty. */
export interface Message {
  partition: number;
  offset: number;
  timestamp_ms: number;
  timestamp_type: TimestampType;
  key: string | null;
  value: string | null;
  headers: [string, string | null][];
  key_decoded: DecodedAs;
  value_decoded: DecodedAs;
  size_bytes: number;
  /** Only a part of it is here. */
  is_cut: boolean;
}

export interface Progress {
  scanned: number;
  matched: number;
  bytes: number;
  elapsed_ms: number;
  partitions: Record<string, number>;
  /** Came faster than they could be told. */
  skipped: number;
}

export type DoneReason = "limit" | "end" | "time";

export interface NewRecord {
  key: string | null;
  value: string | null;
  headers: [string, string | null][];
  partition: number | null;
  key_format: string;
  value_format: string;
  key_schema_id: number | null;
  value_schema_id: number | null;
}

export interface ProducedRecord {
  partition: number;
  offset: number | null;
  timestamp_ms: number;
  error: string | null;
}

export interface ProducedRecords {
  records: ProducedRecord[];
}

export const LIMIT_MAX = 5000;
const SCHEMA_FORMATS = ["avro", "protobuf", "json_schema"] as const;
export const WRITTEN_FORMATS = ["text", "json", ...SCHEMA_FORMATS, "msgpack", "hex", "base64", "uuid", "short", "integer", "long", "float", "double"] as const;
export const READ_FORMATS = ["auto", ...WRITTEN_FORMATS] as const;
export const EXPORT_FORMATS = ["ndjson", "csv", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function hasSchema(format: string): boolean {
  return (SCHEMA_FORMATS as readonly string[]).includes(format);
}

/** What the server puts in the place of a field that is not for everybody. */
export const MASK = "••••";

export function isMasked(text: string | null): boolean {
  return text !== null && text.includes(MASK);
}
