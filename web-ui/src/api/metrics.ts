// Figures over time, which the console keeps for a day.
export interface Series {
  name: string;
  labels: Record<string, string>;
  /** Time in ms and value; null where nothing is known of that time. */
  points: [number, number | null][];
}

export interface Metrics {
  series: Series[];
  from_ms: number;
  to_ms: number;
  step_ms: number;
}
