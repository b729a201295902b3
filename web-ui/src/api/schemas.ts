// Subjects of the schema registry, their versions, and what a trial of a new one says.
export const SCHEMA_TYPES = ["AVRO", "JSON", "PROTOBUF"] as const;
export type SchemaType = (typeof SCHEMA_TYPES)[number];

export const LEVELS = ["BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE", "NONE"] as const;
export type Level = (typeof LEVELS)[number];

export interface SubjectRow {
  subject: string;
  /** Of another registry it may be one that is not known here. */
  type: string | null;
  versions: number | null;
  latest_version: number | null;
  latest_id: number | null;
  compatibility: string | null;
}

export interface SchemaReference {
  name: string;
  subject: string;
  version: number;
}

export interface SchemaVersion {
  subject: string;
  version: number;
  id: number;
  type: string;
  schema: string;
  references: SchemaReference[];
}

export interface VersionRow {
  version: number;
  id: number | null;
  type: string | null;
  references: number | null;
}

export interface Compatibility {
  /** What counts. */
  level: string | null;
  /** null: it takes the registry's. */
  own: string | null;
  registry: string | null;
}

export interface Subject {
  subject: string;
  versions: number[];
  latest: SchemaVersion | null;
  compatibility: Compatibility;
}

export interface NewVersion {
  schema: string;
  type: SchemaType;
  references: SchemaReference[];
}

export interface TrialOutcome {
  is_valid: boolean;
  /** null where it is no schema at all. */
  is_compatible: boolean | null;
  messages: string[];
}

export interface Registered {
  id: number;
  version: number | null;
}

export interface SchemaGraph {
  nodes: { subject: string; version: number; id: number; type: string }[];
  /** Ends are `subject/version`; the first refers to the second by that name. */
  edges: { from: string; to: string; name: string }[];
  is_cut: boolean;
}
