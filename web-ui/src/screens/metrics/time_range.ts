// Which part of the last day is shown, as the URL has it: `range=6h` follows the time, `from` and `to` stand still.
export interface TimeRange {
  fromMs: number;
  toMs: number;
  /** One of RANGES; null where the ends are named. */
  range: RangeName | null;
}

export const RANGES = { "15m": 15 * 60_000, "1h": 3_600_000, "6h": 6 * 3_600_000, "24h": 24 * 3_600_000 } as const;
export type RangeName = keyof typeof RANGES;
const USUAL: RangeName = "1h";
/** What is kept ten seconds apart; older figures are a minute apart. */
const FINE_MS = 2 * 3_600_000;
const LEAST_MS = 60_000;

function isRange(text: string | null): text is RangeName {
  return text !== null && Object.hasOwn(RANGES, text);
}

export function stepMs(lengthMs: number): number {
  return lengthMs <= FINE_MS ? 10_000 : 60_000;
}

/** What stands still while time goes on by less than a step, so that it is asked for once a step. */
export function timeRange(query: URLSearchParams, nowMs: number): TimeRange {
  const fromMs = Number(query.get("from"));
  const toMs = Number(query.get("to"));
  const isNamed = Number.isSafeInteger(fromMs) && Number.isSafeInteger(toMs) && fromMs > 0 && toMs - fromMs >= LEAST_MS && toMs - fromMs <= RANGES["24h"];
  if (isNamed) return { fromMs, toMs, range: null };
  const given = query.get("range");
  const range = isRange(given) ? given : USUAL;
  const step = stepMs(RANGES[range]);
  const end = Math.floor(nowMs / step) * step;
  return { fromMs: end - RANGES[range], toMs: end, range };
}

/** The change of the query that shows a marked part; at least a minute of it. */
export function marked(fromMs: number, toMs: number): { from: number; to: number; range: null } {
  const middle = (fromMs + toMs) / 2;
  const half = Math.max(LEAST_MS, toMs - fromMs) / 2;
  return { from: Math.round(middle - half), to: Math.round(middle - half) + Math.round(2 * half), range: null };
}
