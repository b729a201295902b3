// The rows of a query that the page holds, bounded in number and in size.
import type { CsvValue } from "../../format/csv";

export const ROWS_MAX = 10_000;
/** Of texts, in characters. */
export const LENGTH_MAX = 32 * 1024 * 1024;

export interface SqlRow {
  /** Counted from 1, as they came. */
  number: number;
  cells: readonly CsvValue[];
}

export class RowBuffer {
  rows: readonly SqlRow[] = [];
  /** How many came, and how many of them had to go or could not be taken. */
  count = 0;
  dropped = 0;
  private length = 0;

  /** `isTail`: the newest are first, and the oldest make room; else what came first stays. */
  constructor(
    readonly isTail: boolean,
    private readonly rowsMax = ROWS_MAX,
    private readonly lengthMax = LENGTH_MAX,
  ) {}

  add(batch: readonly (readonly unknown[])[]): void {
    const fresh = batch.map((cells) => {
      this.count += 1;
      return { number: this.count, cells: cells.map(cellOf) };
    });
    if (this.isTail) this.rows = [...fresh.reverse(), ...this.rows];
    else this.rows = [...this.rows, ...fresh];
    this.length += fresh.reduce((sum, row) => sum + lengthOf(row), 0);
    this.cut();
  }

  /** Rows that came and are not looked at. */
  skip(count: number): void {
    this.count += count;
    this.dropped += count;
  }

  private cut(): void {
    // What makes room stands at the end either way.
    let kept = this.rows.length;
    while (kept > 1 && (kept > this.rowsMax || this.length > this.lengthMax)) {
      kept -= 1;
      this.length -= lengthOf(this.rows[kept] as SqlRow);
    }
    this.dropped += this.rows.length - kept;
    if (kept < this.rows.length) this.rows = this.rows.slice(0, kept);
  }
}

/** What a cell shows: structures as JSON. */
export function cellOf(value: unknown): CsvValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}

function lengthOf(row: SqlRow): number {
  return row.cells.reduce<number>((sum, cell) => sum + (typeof cell === "string" ? cell.length : 8), 0);
}

/** Rows a second over the last moments. */
export class RateMeter {
  private samples: { ms: number; count: number }[] = [];

  constructor(private readonly overMs = 5000) {}

  at(ms: number, count: number): number | null {
    this.samples.push({ ms, count });
    // One that is older stays, so that there is always something to compare with.
    while (this.samples.length > 2 && ms - (this.samples[1]?.ms ?? ms) >= this.overMs) this.samples.shift();
    const first = this.samples[0];
    return first === undefined || ms - first.ms < 500 ? null : ((count - first.count) * 1000) / (ms - first.ms);
  }
}
