// The one stream that a page keeps open: how the cluster in view fares. A tab that nobody looks at closes it.
import { useEffect } from "preact/hooks";
import { store } from "../store";
import { address, path } from "./client";
import { loadClusters } from "./clusters";
import type { Metrics } from "./metrics";
import type { Overview } from "./overview";
import { openStream } from "./sse";

export interface LivePoint {
  ms: number;
  bytesIn: number | null;
  bytesOut: number | null;
  messagesIn: number | null;
}

export interface Live {
  cluster: string | null;
  /** none: this server has no such stream, and pages ask by themselves. */
  state: "connecting" | "open" | "waiting" | "none";
  overview: Overview | null;
  points: readonly LivePoint[];
}

const POINTS_MAX = 360;
const NOTHING: Live = { cluster: null, state: "connecting", overview: null, points: [] };

export const live = store<Live>(NOTHING);

/** Take an overview in, from the stream or from a page that asked. */
export function noteOverview(cluster: string, overview: Overview): void {
  const before = live.get().cluster === cluster ? live.get() : { ...NOTHING, cluster };
  const last = before.points.at(-1);
  if (last !== undefined && last.ms >= overview.as_of_ms) {
    live.set({ ...before, overview });
    return;
  }
  const point = { ms: overview.as_of_ms, bytesIn: overview.bytes_in_per_s, bytesOut: overview.bytes_out_per_s, messagesIn: overview.messages_in_per_s };
  live.set({ ...before, overview, points: [...before.points, point].slice(-POINTS_MAX) });
}

/** What was before this page was opened, from the console's own history. */
export function noteHistory(cluster: string, metrics: Metrics): void {
  const before = live.get().cluster === cluster ? live.get() : { ...NOTHING, cluster };
  const first = before.points[0]?.ms ?? Infinity;
  const byTime = new Map<number, LivePoint>();
  const fields = { bytes_in_per_s: "bytesIn", bytes_out_per_s: "bytesOut", messages_in_per_s: "messagesIn" } as const;
  for (const { name, points } of metrics.series) {
    const field = fields[name as keyof typeof fields];
    if (field === undefined) continue;
    for (const [ms, value] of points) {
      if (ms >= first) continue;
      byTime.set(ms, { ...(byTime.get(ms) ?? { ms, bytesIn: null, bytesOut: null, messagesIn: null }), [field]: value });
    }
  }
  const older = [...byTime.values()].sort((one, other) => one.ms - other.ms);
  live.set({ ...before, points: [...older, ...before.points].slice(-POINTS_MAX) });
}

function setState(cluster: string, state: Live["state"]): void {
  const before = live.get().cluster === cluster ? live.get() : { ...NOTHING, cluster };
  live.set({ ...before, state });
}

export function useLiveStream(cluster: string | null): void {
  useEffect(() => {
    if (cluster === null) return;
    let close: (() => void) | null = null;
    const follow = (): void => {
      if (document.visibilityState === "hidden") {
        close?.();
        close = null;
        return;
      }
      close ??= openStream(address(path`/clusters/${cluster}/events`), {
        onEvent(name, data) {
          if (name === "overview") noteOverview(cluster, data as Overview);
          // The list of clusters tells the whole of it.
          else if (name === "cluster") void loadClusters().catch(() => undefined);
        },
        onState: (state) => setState(cluster, state === "ended" ? "none" : state),
      });
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      close?.();
    };
  }, [cluster]);
}
