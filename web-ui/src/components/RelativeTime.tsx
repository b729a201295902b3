// "5 min ago"; the exact time on hover. All of them on a page share one clock.
import { useEffect } from "preact/hooks";
import { exactTime, relativeTime } from "../format/time";
import { language } from "../i18n/text";
import { store, useStore } from "../store";
import { Unknown } from "./Quantity";

const now = store(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

export function useNow(): number {
  useEffect(() => {
    watchers += 1;
    if (watchers === 1) timer = setInterval(() => now.set(Date.now()), 1000);
    return () => {
      watchers -= 1;
      if (watchers === 0) clearInterval(timer);
    };
  }, []);
  return useStore(now);
}

export function RelativeTime({ ms }: { ms: number | null | undefined }) {
  const at = useNow();
  if (ms === null || ms === undefined) return <Unknown />;
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactTime(ms, language())}>
      {relativeTime(ms, Math.max(at, ms), language())}
    </time>
  );
}
