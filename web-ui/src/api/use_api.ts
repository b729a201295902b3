// What a component reads from the API: it keeps what it has while it asks again, so that nothing jumps.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { address, get, type Query } from "./client";

/** Below this a wait is not shown. */
export const SKELETON_AFTER_MS = 200;
const CACHE_MAX = 60;
const cache = new Map<string, unknown>();

export interface Loaded<T> {
  data: T | null;
  error: Error | null;
  /** Asking has taken long enough to say so. */
  isSlow: boolean;
  reload(): void;
}

/** Forget what was read below a path, after a change. */
export function forget(prefix: string): void {
  for (const key of cache.keys()) if (key.startsWith(address(prefix))) cache.delete(key);
}

export function useApi<T>(path: string | null, query: Query = {}, options: { everyMs?: number } = {}): Loaded<T> {
  const key = path === null ? null : address(path, query);
  const [state, setState] = useState<{ key: string | null; data: T | null; error: Error | null; isSlow: boolean }>(() => ({
    key,
    data: key === null ? null : ((cache.get(key) as T | undefined) ?? null),
    error: null,
    isSlow: false,
  }));
  const [turn, setTurn] = useState(0);
  const last = useRef(state);
  last.current = state;

  useEffect(() => {
    if (key === null || path === null) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const known = cache.get(key) as T | undefined;
    // Another page of the same list keeps the old rows until the new ones are there.
    const isSameList = last.current.key?.split("?")[0] === key.split("?")[0];
    setState((before) => ({ key, data: known ?? (isSameList ? before.data : null), error: isSameList ? before.error : null, isSlow: false }));
    const slow = setTimeout(() => setState((before) => ({ ...before, isSlow: before.data === null })), SKELETON_AFTER_MS);

    const ask = async (): Promise<void> => {
      try {
        const data = await get<T>(path, query, stop.signal);
        remember(key, data);
        if (!stop.signal.aborted) setState({ key, data, error: null, isSlow: false });
      } catch (error) {
        if (stop.signal.aborted) return;
        setState((before) => ({ ...before, error: error as Error, isSlow: false }));
      } finally {
        clearTimeout(slow);
        if (options.everyMs !== undefined && !stop.signal.aborted) timer = setTimeout(again, options.everyMs);
      }
    };
    const again = (): void => {
      // A tab that nobody looks at asks for nothing.
      if (document.visibilityState === "visible") void ask();
      else document.addEventListener("visibilitychange", again, { once: true, signal: stop.signal });
    };
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
      clearTimeout(slow);
    };
  }, [key, turn, options.everyMs]);

  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const isCurrent = state.key === key || state.key?.split("?")[0] === key?.split("?")[0];
  return { data: isCurrent ? state.data : null, error: isCurrent ? state.error : null, isSlow: isCurrent && state.isSlow, reload };
}

function remember(key: string, data: unknown): void {
  cache.delete(key);
  cache.set(key, data);
  const oldest = cache.keys().next();
  if (cache.size > CACHE_MAX && !oldest.done) cache.delete(oldest.value);
}
