// What runs on Spark beside a cluster. What is not known is null.
export interface Pipeline {
  kind: "connector" | "query";
  name: string;
  type: string;
  state: string | null;
  /** What it is at, where it has not begun. */
  doing: string | null;
  rows: number | null;
  rows_per_s: number | null;
  batch_ms: number | null;
  lag: number | null;
  state_rows: number | null;
  state_bytes: number | null;
  errors: number | null;
  dead_letters: number | null;
  updated_ms: number | null;
  problem: string | null;
  reads: string[];
  writes: string[];
  /** The address of Spark's own pages. */
  spark_ui: string | null;
}

export interface PipelineList {
  items: Pipeline[];
  as_of_ms: number;
  /** Why some may be missing. */
  problems: string[];
}
