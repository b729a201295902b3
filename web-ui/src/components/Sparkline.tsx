// A row's recent past in 72 by 16 pixels; gaps where nothing is known.
import "./sparkline.css";

const WIDTH = 72;
const HEIGHT = 16;

/** Runs of known points, each as the points of a line. */
export function runs(values: readonly (number | null)[], width: number, height: number): string[] {
  const known = values.filter((value): value is number => value !== null);
  const most = Math.max(...known, 0);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const found: string[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) found.push([]);
    else found.at(-1)?.push(`${round(index * step)},${round(height - 1 - (most > 0 ? (value / most) * (height - 2) : 0))}`);
  }
  return found.filter((run) => run.length > 0).map((run) => (run.length === 1 ? `${run[0]} ${run[0]}` : run.join(" ")));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function Sparkline({ values, label }: { values: readonly (number | null)[]; label: string }) {
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {runs(values, WIDTH, HEIGHT).map((points, index) => (
        <polyline key={index} points={points} />
      ))}
    </svg>
  );
}
