// A page of a list, as every list of the API answers, and all pages of one.
import { get, type Query } from "./client";

export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  page_size: number;
  as_of_ms: number;
  stale_reason: string | null;
}

/** So many rows go into a CSV file, by pages of the most that a server gives. */
const ROWS_MAX = 20_000;
const PAGE_SIZE_MAX = 500;

export interface AllRows<T> {
  rows: readonly T[];
  /** There may be more than go into one file. */
  total: number;
}

export async function allRows<T>(path: string, query: Query, rowsMax = ROWS_MAX): Promise<AllRows<T>> {
  const rows: T[] = [];
  let total = 0;
  for (let page = 1; rows.length < rowsMax; page += 1) {
    const next = await get<Page<T>>(path, { ...query, page, page_size: PAGE_SIZE_MAX });
    rows.push(...next.items);
    total = next.total;
    if (rows.length >= total || next.items.length === 0) break;
  }
  return { rows, total };
}
