// What a table does with its rows, apart from drawing them: order, which columns have room, which rows are in sight.
import type { CsvValue } from "../format/csv";

export type SortValue = CsvValue;

export interface SortBy {
  column: string;
  isDescending: boolean;
}

/** `-lag` is by lag, the largest first. */
export function parseSort(text: string): SortBy | null {
  if (text === "" || text === "-") return null;
  return text.startsWith("-") ? { column: text.slice(1), isDescending: true } : { column: text, isDescending: false };
}

/** What a click on a column's head asks for next: numbers start with the largest. */
export function nextSort(current: string, column: string, isNumber: boolean): string {
  const [first, second] = isNumber ? [`-${column}`, column] : [column, `-${column}`];
  return current === first ? second : first;
}

/** Unknown values come last either way: they are no smallest number. */
export function sorted<Row>(rows: readonly Row[], value: (row: Row) => SortValue, isDescending: boolean): Row[] {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const compare = (one: SortValue, other: SortValue): number => {
    if (typeof one === "number" && typeof other === "number") return one - other;
    return collator.compare(String(one), String(other));
  };
  return rows
    .map((row, index) => ({ row, index, key: value(row) }))
    .sort((one, other) => {
      const isOneUnknown = one.key === null || one.key === undefined;
      const isOtherUnknown = other.key === null || other.key === undefined;
      if (isOneUnknown || isOtherUnknown) return Number(isOneUnknown) - Number(isOtherUnknown) || one.index - other.index;
      return (isDescending ? -1 : 1) * compare(one.key, other.key) || one.index - other.index;
    })
    .map(({ row }) => row);
}

export interface Sized {
  id: string;
  width: number;
  /** 1 stays; the larger the number, the sooner it makes room. */
  priority?: number;
}

/** The columns that fit: those of the largest priority leave first, the last of them before the first. */
export function fitting<Column extends Sized>(columns: readonly Column[], room: number): Column[] {
  const kept = [...columns];
  const total = (): number => kept.reduce((sum, column) => sum + column.width, 0);
  while (total() > room) {
    const most = Math.max(...kept.map((column) => column.priority ?? 2));
    if (most <= 1) break;
    kept.splice(kept.findLastIndex((column) => (column.priority ?? 2) === most), 1);
  }
  return kept;
}

/** The rows to draw, with some on either side so that scrolling shows no holes. */
export function inSight(total: number, rowHeight: number, scrollTop: number, height: number, spare = 12): { start: number; end: number } {
  const start = Math.max(0, Math.min(total, Math.floor(scrollTop / rowHeight)) - spare);
  const end = Math.min(total, Math.ceil((scrollTop + height) / rowHeight) + spare);
  // An even start keeps stripes and screen readers' positions where they are.
  return { start: start - (start % 2), end };
}

const STEP_ROWS = 4;

/** Where the table is scrolled to, in steps of a few rows: what lies between two of them is drawn already, as spare. */
export function stepTop(scrollTop: number, rowHeight: number): number {
  const step = STEP_ROWS * rowHeight;
  return Math.floor(scrollTop / step) * step;
}
