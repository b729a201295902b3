// The messages that the page holds: each once, in the order of time, bounded in number and in size.
import type { Message } from "../../api/messages";

export const ROWS_MAX = 100_000;
/** Of texts, in characters. */
export const LENGTH_MAX = 64 * 1024 * 1024;

export function rowKey(row: Pick<Message, "partition" | "offset">): string {
  return `${row.partition}-${row.offset}`;
}

/** As the server orders them. */
export function compare(one: Message, other: Message, isBackward: boolean): number {
  const sign = isBackward ? -1 : 1;
  return sign * (one.timestamp_ms - other.timestamp_ms) || one.partition - other.partition || sign * (one.offset - other.offset);
}

export class KeptRows {
  rows: readonly Message[] = [];
  /** Those that had to go to make room. */
  dropped = 0;
  private keys = new Set<string>();
  private length = 0;

  constructor(
    readonly isBackward: boolean,
    private readonly rowsMax = ROWS_MAX,
    private readonly lengthMax = LENGTH_MAX,
  ) {}

  /** How many of them were new. `isTail`: they came after the rest; what is oldest makes room. */
  add(batch: readonly Message[], isTail = false): number {
    const fresh: Message[] = [];
    for (const row of batch) {
      const key = rowKey(row);
      if (this.keys.has(key)) continue;
      this.keys.add(key);
      this.length += lengthOf(row);
      fresh.push(row);
    }
    if (fresh.length === 0) return 0;
    // A tail follows the order in which records came: among partitions it may differ from that of their times.
    fresh.sort((one, other) => compare(one, other, this.isBackward));
    this.rows = this.merged(fresh);
    this.cut(isTail);
    return fresh.length;
  }

  private merged(fresh: readonly Message[]): readonly Message[] {
    const known = this.rows;
    const isBefore = (one: Message | undefined, other: Message | undefined): boolean => one === undefined || other === undefined || compare(one, other, this.isBackward) <= 0;
    if (isBefore(known.at(-1), fresh[0])) return [...known, ...fresh];
    if (isBefore(fresh.at(-1), known[0])) return [...fresh, ...known];
    const all: Message[] = [];
    let at = 0;
    for (const row of fresh) {
      for (let next = known[at]; next !== undefined && compare(next, row, this.isBackward) <= 0; next = known[at]) {
        all.push(next);
        at += 1;
      }
      all.push(row);
    }
    for (; at < known.length; at += 1) all.push(known[at] as Message);
    return all;
  }

  private cut(isTail: boolean): void {
    let excess = Math.max(0, this.rows.length - this.rowsMax);
    // The oldest are at the end when the newest are first; a search keeps what it found first.
    const fromStart = isTail && !this.isBackward;
    const victim = (index: number): Message | undefined => (fromStart ? this.rows[index] : this.rows[this.rows.length - 1 - index]);
    let length = this.length;
    let gone = 0;
    for (let row = victim(0); row !== undefined && (gone < excess || (length > this.lengthMax && this.rows.length - gone > 1)); row = victim(gone)) {
      length -= lengthOf(row);
      this.keys.delete(rowKey(row));
      gone += 1;
    }
    if (gone === 0) return;
    this.length = length;
    this.dropped += gone;
    this.rows = fromStart ? this.rows.slice(gone) : this.rows.slice(0, this.rows.length - gone);
  }
}

function lengthOf(row: Message): number {
  return (row.key?.length ?? 0) + (row.value?.length ?? 0) + row.headers.reduce((sum, [name, text]) => sum + name.length + (text?.length ?? 0), 0);
}

/** How many rows at the end share the last one's moment. */
export function sameMoment(rows: readonly Message[]): number {
  const last = rows.at(-1);
  let count = 0;
  while (last !== undefined && rows[rows.length - 1 - count]?.timestamp_ms === last.timestamp_ms) count += 1;
  return count;
}
