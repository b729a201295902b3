// What is searched for: as the URL keeps it, and as the API takes it.
import { LIMIT_MAX, READ_FORMATS } from "../../api/messages";
import type { Query } from "../../api/client";

export type From = "newest" | "oldest" | "offset" | "time" | "last";

export interface Search {
  from: From;
  offset: string;
  /** ISO 8601 or milliseconds. */
  time: string;
  /** A span before now: 5m, 1h. */
  last: string;
  /** null: all of them. */
  partitions: number[] | null;
  limit: number;
  key: string;
  value: string;
  header: string;
  fields: string[];
  where: string;
  key_format: string;
  value_format: string;
  isolation: "read_committed" | "read_uncommitted";
  follow: boolean;
}

export const LIMITS = [50, 200, 1000, LIMIT_MAX] as const;
export const SPANS = ["5m", "15m", "1h", "6h", "24h", "7d"] as const;
const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const FROM: readonly From[] = ["newest", "oldest", "offset", "time", "last"];
const FIELDS_MAX = 20;

export const EVERYTHING: Search = {
  from: "newest",
  offset: "",
  time: "",
  last: "",
  partitions: null,
  limit: 200,
  key: "",
  value: "",
  header: "",
  fields: [],
  where: "",
  key_format: "auto",
  value_format: "auto",
  isolation: "read_committed",
  follow: false,
};

/** What cannot be understood is as if it were not there: a link that was cut still shows something. */
export function searchOf(query: URLSearchParams): Search {
  const text = (name: string): string => query.get(name) ?? "";
  const format = (name: string): string => ((READ_FORMATS as readonly string[]).includes(text(name)) ? text(name) : "auto");
  const from = FROM.find((each) => each === text("from")) ?? "newest";
  const limit = Number(text("limit"));
  const partitions = text("partitions")
    .split(",")
    .filter((part) => /^\d{1,9}$/.test(part))
    .map(Number);
  const isWhole = (from !== "offset" || /^\d{1,18}$/.test(text("offset"))) && (from !== "time" || timeMs(text("time")) !== null) && (from !== "last" || spanMs(text("last")) !== null);
  return {
    ...EVERYTHING,
    from: isWhole ? from : "newest",
    offset: isWhole && from === "offset" ? text("offset") : "",
    time: isWhole && from === "time" ? text("time") : "",
    last: isWhole && from === "last" ? text("last") : "",
    partitions: partitions.length === 0 ? null : [...new Set(partitions)].sort((one, other) => one - other),
    limit: Number.isInteger(limit) && limit > 0 && limit <= LIMIT_MAX ? limit : EVERYTHING.limit,
    key: text("key"),
    value: text("value"),
    header: text("header"),
    fields: query.getAll("field").filter((each) => each !== "").slice(0, FIELDS_MAX),
    where: text("where"),
    key_format: format("key_format"),
    value_format: format("value_format"),
    isolation: text("isolation") === "read_uncommitted" ? "read_uncommitted" : "read_committed",
    follow: text("follow") === "true",
  };
}

/** Only what differs from the usual, in one order: equal searches are equal URLs. */
export function queryOf(search: Search): URLSearchParams {
  const query = new URLSearchParams();
  const put = (name: string, value: string, usual = ""): void => {
    if (value !== usual) query.append(name, value);
  };
  put("from", search.from, EVERYTHING.from);
  if (search.from === "offset") put("offset", search.offset);
  if (search.from === "time") put("time", search.time);
  if (search.from === "last") put("last", search.last);
  put("partitions", search.partitions?.join(",") ?? "");
  put("limit", String(search.limit), String(EVERYTHING.limit));
  for (const name of ["key", "value", "header", "where"] as const) put(name, search[name]);
  for (const field of search.fields) put("field", field);
  put("key_format", search.key_format, EVERYTHING.key_format);
  put("value_format", search.value_format, EVERYTHING.value_format);
  put("isolation", search.isolation, EVERYTHING.isolation);
  put("follow", String(search.follow), "false");
  query.sort();
  return query;
}

/** For the API. `last` becomes a time, which holds for this run. */
export function apiQuery(search: Search, nowMs: number): Query {
  const span = spanMs(search.last);
  const from = search.from === "last" ? "time" : search.from;
  const time = search.from === "last" ? String(nowMs - (span ?? 0)) : String(timeMs(search.time) ?? "");
  return {
    from,
    offset: from === "offset" ? search.offset : null,
    time: from === "time" ? time : null,
    partitions: search.partitions?.join(",") ?? null,
    limit: search.limit,
    key: search.key,
    value: search.value,
    header: search.header,
    field: search.fields.map((each) => (each.trimStart().startsWith("$") ? each : `$.${each.trimStart()}`)),
    where: search.where,
    key_format: search.key_format === "auto" ? null : search.key_format,
    value_format: search.value_format === "auto" ? null : search.value_format,
    isolation: search.isolation === "read_committed" ? null : search.isolation,
    follow: search.follow ? true : null,
  };
}

/** The search that goes on behind the last row. It begins at the same moment, as others may share that: those are known by their offsets. */
export function afterRow(search: Search, lastMs: number, sameMs: number): Search {
  const limit = Math.min(LIMIT_MAX, search.limit + sameMs);
  if (!isBackward(search)) return { ...search, from: "time", time: String(lastMs), limit, follow: false };
  const before = `timestamp <= ${lastMs}`;
  return { ...search, where: search.where.trim() === "" ? before : `(${search.where}) and ${before}`, limit, follow: false };
}

export function isBackward(search: Search): boolean {
  return search.from === "newest";
}

export function isFiltered(search: Search): boolean {
  return search.key !== "" || search.value !== "" || search.header !== "" || search.fields.length > 0 || search.where.trim() !== "";
}

/** How many of the folded settings are set. */
export function foldedCount(search: Search): number {
  const set = [search.header !== "", search.where.trim() !== "", search.key_format !== "auto", search.value_format !== "auto", search.isolation !== "read_committed"];
  return set.filter(Boolean).length + search.fields.length;
}

export function spanMs(text: string): number | null {
  const found = /^(\d{1,6})([smhd])$/.exec(text);
  return found === null ? null : Number(found[1]) * (UNIT_MS[found[2] ?? ""] ?? 0);
}

export function timeMs(text: string): number | null {
  if (/^\d{1,18}$/.test(text)) return Number(text);
  const ms = text === "" ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(ms) || ms < 0 ? null : ms;
}

/** `0, 2-4`; null where it is nothing of the kind. */
export function partitionsOfText(text: string, count: number): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(",").map((each) => each.trim())) {
    const range = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (range === null) return null;
    const [first, last] = [Number(range[1]), Number(range[2] ?? range[1])];
    if (last < first || last >= count) return null;
    for (let each = first; each <= last; each += 1) found.add(each);
  }
  return [...found].sort((one, other) => one - other);
}

/** The place of a message in the URL: partition and offset. */
export function placeOf(text: string | null): { partition: number; offset: number } | null {
  const found = /^(\d{1,9})-(\d{1,16})$/.exec(text ?? "");
  return found === null ? null : { partition: Number(found[1]), offset: Number(found[2]) };
}
