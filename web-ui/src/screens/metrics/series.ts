// Series of the history, as they are asked for and as a chart takes them.
import type { Series } from "../../api/metrics";

/** `name{label="value"}`, with what a value may hold escaped. */
export function seriesName(name: string, labels: Record<string, string> = {}): string {
  const inside = Object.entries(labels).map(([label, value]) => `${label}="${value.replace(/[\\"]/g, (found) => `\\${found}`).replaceAll("\n", "\\n")}"`);
  return inside.length === 0 ? name : `${name}{${inside.join(",")}}`;
}

export interface Aligned {
  times: number[];
  /** In the order of the names; all unknown where there is no such series. */
  values: (number | null)[][];
}

/** Values of several series at the same times. */
export function aligned(series: readonly Series[], names: readonly string[]): Aligned {
  const chosen = names.map((name) => series.find((each) => each.name === name));
  const times = [...new Set(chosen.flatMap((each) => each?.points.map(([ms]) => ms) ?? []))].sort((one, other) => one - other);
  const values = chosen.map((each) => {
    const byTime = new Map(each?.points);
    return times.map((ms) => byTime.get(ms) ?? null);
  });
  return { times, values };
}

/** What is known last, which may be some time ago. */
export function lastKnown(values: readonly (number | null)[]): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

export function isAnythingKnown(series: readonly Series[]): boolean {
  return series.some((each) => each.points.some(([, value]) => value !== null));
}
