// What a reset asks of the server, from what was filled in; null while it is not whole.
import type { GroupOffset, ResetRequest, ResetTo } from "../../api/groups";

export interface ResetForm {
  to: ResetTo;
  /** What was typed: an offset, a time of a `datetime-local` field, a step, a group. */
  value: string;
  /** "" is every topic. */
  topic: string;
  /** Of that topic; "" is all: `0, 2-4`. */
  partitions: string;
}

export const NEEDS_VALUE: Record<ResetTo, boolean> = { earliest: false, latest: false, offset: true, time: true, shift: true, group: true };

/** `0, 2-4` as numbers, or null if it is something else. */
export function partitionsOf(text: string): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(",").map((each) => each.trim())) {
    const range = /^(\d{1,6})(?:\s*-\s*(\d{1,6}))?$/.exec(part);
    if (range === null) return null;
    const first = Number(range[1]);
    const last = Number(range[2] ?? range[1]);
    if (last < first || last - first > 100_000) return null;
    for (let each = first; each <= last; each += 1) found.add(each);
  }
  return [...found].sort((one, other) => one - other);
}

export function resetRequest(form: ResetForm, offsets: readonly Pick<GroupOffset, "topic">[]): ResetRequest | null {
  const value = valueOf(form);
  if (value === undefined) return null;
  const partitions = form.topic === "" || form.partitions.trim() === "" ? null : partitionsOf(form.partitions);
  if (form.topic !== "" && form.partitions.trim() !== "" && partitions === null) return null;
  const names = form.topic === "" ? [...new Set(offsets.map((each) => each.topic))] : [form.topic];
  if (names.length === 0) return null;
  return { topics: Object.fromEntries(names.map((name) => [name, partitions])), to: form.to, value };
}

function valueOf({ to, value }: ResetForm): number | string | null | undefined {
  const text = value.trim();
  if (!NEEDS_VALUE[to]) return null;
  if (to === "offset") return /^\d+$/.test(text) ? Number(text) : undefined;
  if (to === "shift") return /^[+-]?\d+$/.test(text) && Number(text) !== 0 ? Number(text) : undefined;
  if (to === "time") {
    const ms = new Date(text).getTime();
    return text === "" || Number.isNaN(ms) ? undefined : ms;
  }
  return text === "" ? undefined : text;
}
