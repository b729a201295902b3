// The lines that two texts share, and those that one has alone (Myers' greedy algorithm).
export interface DiffRow {
  kind: "same" | "removed" | "added" | "changed";
  left: { number: number; text: string } | null;
  right: { number: number; text: string } | null;
}

/** Beyond so many differences all of the rest counts as changed: nobody reads them one by one. */
const STEPS_MAX = 800;

type Step = "same" | "left" | "right";

/** `key`: what of a line counts. */
export function diffLines(before: string, after: string, key: (line: string) => string = (line) => line): DiffRow[] {
  const left = before.split("\n");
  const right = after.split("\n");
  return paired(steps(left.map(key), right.map(key)), left, right);
}

/** Of JSON: a line that others now follow has not changed by its comma. */
export function withoutComma(line: string): string {
  return line.endsWith(",") ? line.slice(0, -1) : line;
}

function steps(left: readonly string[], right: readonly string[]): Step[] {
  const most = Math.min(left.length + right.length, STEPS_MAX);
  const furthest = new Map<number, number>([[1, 0]]);
  const trail: Map<number, number>[] = [];
  for (let cost = 0; cost <= most; cost += 1) {
    trail.push(new Map(furthest));
    for (let line = -cost; line <= cost; line += 2) {
      let x = goesDown(furthest, line, cost) ? (furthest.get(line + 1) ?? 0) : (furthest.get(line - 1) ?? 0) + 1;
      while (x < left.length && x - line < right.length && left[x] === right[x - line]) x += 1;
      furthest.set(line, x);
      if (x >= left.length && x - line >= right.length) return back(trail, left.length, right.length);
    }
  }
  return [...left.map((): Step => "left"), ...right.map((): Step => "right")];
}

function goesDown(furthest: ReadonlyMap<number, number>, line: number, cost: number): boolean {
  return line === -cost || (line !== cost && (furthest.get(line - 1) ?? 0) < (furthest.get(line + 1) ?? 0));
}

function back(trail: readonly Map<number, number>[], width: number, height: number): Step[] {
  const found: Step[] = [];
  let x = width;
  let y = height;
  for (let cost = trail.length - 1; cost >= 0; cost -= 1) {
    const furthest = trail[cost] ?? new Map<number, number>();
    const line = x - y;
    const from = goesDown(furthest, line, cost) ? line + 1 : line - 1;
    const startX = furthest.get(from) ?? 0;
    const startY = startX - from;
    while (x > startX && y > startY && x > 0 && y > 0) {
      found.push("same");
      x -= 1;
      y -= 1;
    }
    if (cost > 0) found.push(x === startX ? "right" : "left");
    x = startX;
    y = startY;
  }
  return found.reverse();
}

/** Side by side: a run of removed lines stands beside the run of added ones that follows it. */
function paired(all: readonly Step[], left: readonly string[], right: readonly string[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let x = 0;
  let y = 0;
  for (let at = 0; at < all.length; ) {
    if (all[at] === "same") {
      rows.push({ kind: "same", left: { number: x + 1, text: left[x] ?? "" }, right: { number: y + 1, text: right[y] ?? "" } });
      x += 1;
      y += 1;
      at += 1;
      continue;
    }
    let removed = 0;
    let added = 0;
    for (; at < all.length && all[at] !== "same"; at += 1) {
      if (all[at] === "left") removed += 1;
      else added += 1;
    }
    for (let step = 0; step < Math.max(removed, added); step += 1) {
      const hasLeft = step < removed;
      const hasRight = step < added;
      rows.push({
        kind: hasLeft && hasRight ? "changed" : hasLeft ? "removed" : "added",
        left: hasLeft ? { number: x + step + 1, text: left[x + step] ?? "" } : null,
        right: hasRight ? { number: y + step + 1, text: right[y + step] ?? "" } : null,
      });
    }
    x += removed;
    y += added;
  }
  return rows;
}
