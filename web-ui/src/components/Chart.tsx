// A chart of values over time. The code that draws it comes with the first one.
import { lazy } from "./lazy";

export interface ChartSeries {
  name: string;
  /** null: nothing is known, and the line has a gap. */
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** What is drawn, for those who do not see it. */
  label: string;
  /** When each value was, in ms. */
  times: readonly number[];
  series: readonly ChartSeries[];
  unit: "count" | "bytes" | "ms";
  /** A rate: the unit has "/s". */
  isPer?: boolean;
  /** What the whole width stands for, also where nothing is known. */
  fromMs: number;
  toMs: number;
  height?: number;
  /** A part of the time was marked with the pointer. */
  onRange?(fromMs: number, toMs: number): void;
}

export const Chart = lazy<ChartProps>(() => import("./lazy_parts/UplotChart"));
