// Numbers as people read them, with their unit apart, so that a column of them lines up.
export interface Quantity {
  number: string;
  unit: string;
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const COUNT_UNITS = ["", "k", "M", "G", "T"];

function scaled(value: number, step: number, units: readonly string[], language: string): Quantity {
  let rest = Math.abs(value);
  let index = 0;
  // What would be shown as 1,024 KiB is 1 MiB.
  while (index < units.length - 1 && (rest >= step || Math.round(rest) >= step)) {
    rest /= step;
    index += 1;
  }
  const digits = index === 0 || rest >= 100 ? 0 : rest >= 10 ? 1 : 2;
  const number = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value < 0 ? -rest : rest);
  return { number, unit: units[index] ?? "" };
}

export function bytes(value: number, language = "en"): Quantity {
  return scaled(value, 1024, BYTE_UNITS, language);
}

/** Exact below ten thousand, three digits and a letter above. */
export function count(value: number, language = "en"): Quantity {
  if (Math.abs(value) < 10_000) {
    const digits = Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
    return { number: new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value), unit: "" };
  }
  return scaled(value, 1000, COUNT_UNITS, language);
}

export function exact(value: number, language = "en"): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 3 }).format(value);
}

const SPANS: readonly [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];

/** How long something takes or is kept: `7 d`, `90 s`, `250 ms`. The largest unit that says it without loss, or nearly. */
export function duration(ms: number, language = "en"): string {
  const format = (value: number): string => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value);
  for (const [size, unit] of SPANS) {
    if (ms >= size && (ms % size === 0 || ms >= size * 2)) return `${format(ms / size)} ${unit}`;
  }
  return `${format(ms)} ms`;
}
