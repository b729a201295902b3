// SQL by the cluster's KSQL servers: what there is, what runs, and answers as the server gives them.
export interface SqlSource {
  name: string;
  kind: "stream" | "table";
  topic: string;
  key_format: string;
  value_format: string;
  is_windowed: boolean;
}

export interface SqlField {
  name: string;
  type: string;
  is_key: boolean;
}

export interface SqlSourcePage {
  name: string;
  kind: "stream" | "table";
  topic: string;
  statement: string;
  fields: SqlField[];
  read_by: string[];
  written_by: string[];
}

export interface SqlQuery {
  id: string;
  type: string;
  state: string | null;
  sql: string;
  sources: string[];
  sinks: string[];
  errors: string[];
  state_rows: number | null;
  state_bytes: number | null;
  /** The address of Spark's own pages. */
  spark_ui: string | null;
}

export interface SqlPlan {
  sql: string;
  /** The tree of steps, the sink first. */
  plan: string;
  topology: string;
  sources: string[];
  sinks: string[];
  state: string | null;
}

export interface SqlFunction {
  name: string;
  kind: string;
  category: string;
}

/** What a statement is answered with; `@type` says which fields there are. */
export type SqlEntity = Record<string, unknown> & { "@type"?: string };

export interface SqlResults {
  results: SqlEntity[];
}

export interface SqlColumn {
  name: string;
  type: string;
}
