// The shape of the overview's chart: what comes in above the line, what goes out below it.
import type { LivePoint } from "../../api/live";

export interface Reach {
  area: string;
  /** Its edge alone: a gap has no walls. */
  edge: string;
}

export interface River {
  above: Reach[];
  below: Reach[];
  most: number;
}

export const WINDOW_MS = 10 * 60_000;
/** Points further apart than this are not joined: nothing is known of the time between. */
const GAP_MS = 30_000;

interface Mark {
  x: number;
  value: number;
}

/** Areas as SVG paths in a box of 1000 by 200, the line in the middle; a gap starts a new area. */
export function river(points: readonly LivePoint[], nowMs: number): River {
  const known = points.filter((point) => point.ms > nowMs - WINDOW_MS);
  const most = Math.max(1, ...known.map((point) => Math.max(point.bytesIn ?? 0, point.bytesOut ?? 0)));
  const x = (ms: number): number => Math.round((1 - (nowMs - ms) / WINDOW_MS) * 10_000) / 10;
  const areas = (pick: (point: LivePoint) => number | null, sign: 1 | -1): Reach[] => {
    const runs: Mark[][] = [[]];
    let before: LivePoint | null = null;
    for (const point of known) {
      const value = pick(point);
      if (value === null || (before !== null && point.ms - before.ms > GAP_MS)) runs.push([]);
      if (value !== null) runs.at(-1)?.push({ x: x(point.ms), value });
      before = point;
    }
    return runs.filter((run) => run.length > 0).map((run) => reach(run, most, sign));
  };
  return { above: areas((point) => point.bytesIn, -1), below: areas((point) => point.bytesOut, 1), most };
}

function reach(run: readonly Mark[], most: number, sign: 1 | -1): Reach {
  const at = (value: number): number => Math.round((100 + (sign * value * 92) / most) * 10) / 10;
  const points = run.map((mark) => `${mark.x} ${at(mark.value)}`);
  // One point alone would have no width.
  if (run.length === 1 && run[0] !== undefined) points.push(`${run[0].x + 1} ${at(run[0].value)}`);
  const edge = `M${points.join("L")}`;
  const start = run[0]?.x ?? 0;
  const end = Math.max(start + 1, run.at(-1)?.x ?? 0);
  return { area: `${edge}L${end} 100L${start} 100Z`, edge };
}
