// Times, relative to now; the exact one is for the hover.
const STEPS: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [31_557_600_000, "year"],
  [2_629_800_000, "month"],
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
];

/** `5 min. ago`, `in 2 hr.`; the newest few seconds are now, as they would only flicker. */
export function relativeTime(atMs: number, nowMs: number, language = "en"): string {
  const apart = atMs - nowMs;
  const format = new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "auto" });
  if (Math.abs(apart) < 2000) return format.format(0, "second");
  const [size, unit] = STEPS.find(([step]) => Math.abs(apart) >= step) ?? [1000, "second" as const];
  return format.format(Math.trunc(apart / size), unit);
}

/** With milliseconds and the zone's distance from UTC: what one would write into a report. */
export function exactTime(atMs: number, language = "en", timeZone?: string): string {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return String(atMs);
  return new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZoneName: "longOffset",
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(date);
}

/** For a `datetime-local` field, in the zone of the browser. */
export function fieldTime(atMs: number): string {
  const date = new Date(atMs);
  return new Date(atMs - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
