// A search under way: its events gathered into few drawings, and what became of it.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, address } from "../../api/client";
import type { DoneReason, Message, Progress } from "../../api/messages";
import { openStream, type StreamState } from "../../api/sse";
import { KeptRows, ROWS_MAX, sameMoment } from "./kept_rows";
import { afterRow, apiQuery, isBackward, queryOf, type Search } from "./search";

const DRAW_MS = 100;
const PROBLEMS_MAX = 20;

export type RunState = "running" | "following" | "lost" | "done" | "broken" | "stopped" | "refused";

export interface Shown {
  /** null: nothing is known yet. */
  rows: readonly Message[] | null;
  state: RunState;
  reason: DoneReason | null;
  progress: Progress | null;
  problems: readonly string[];
  refused: ApiError | null;
  /** Came while the page was held still. */
  waiting: number;
  /** Older ones that made room. */
  dropped: number;
  canGoOn: boolean;
}

export interface Messages extends Shown {
  stop(): void;
  /** The rows that come next. */
  goOn(): void;
  again(): void;
}

const START: Shown = { rows: null, state: "running", reason: null, progress: null, problems: [], refused: null, waiting: 0, dropped: 0, canGoOn: false };

/** `isHeld`: what comes is counted and not shown, so that nothing moves below the reader's eyes. */
export function useMessages(at: string, search: Search, isHeld: boolean): Messages {
  const [shown, setShown] = useState(START);
  const [turn, setTurn] = useState(0);
  const run = useRef<Run | null>(null);
  const key = `${at}?${queryOf(search).toString()}`;
  useEffect(() => {
    const own = new Run(at, search, setShown);
    run.current = own;
    own.open(search);
    return () => own.close();
  }, [key, turn]);
  useEffect(() => run.current?.hold(isHeld), [isHeld, key, turn]);
  const stop = useCallback(() => run.current?.stop(), []);
  const goOn = useCallback(() => run.current?.goOn(), []);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  return { ...shown, stop, goOn, again };
}

class Run {
  private readonly kept: KeptRows;
  private held: KeptRows;
  private isHeld = false;
  private buffer: Message[] = [];
  private told: Shown = { ...START };
  /** Of the searches before this one, when it goes on. */
  private before: Progress | null = null;
  private fresh = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closeStream: () => void = () => undefined;

  constructor(
    private readonly at: string,
    private readonly search: Search,
    private readonly show: (change: (before: Shown) => Shown) => void,
  ) {
    this.kept = new KeptRows(isBackward(search));
    this.held = new KeptRows(isBackward(search));
  }

  open(search: Search): void {
    this.told = { ...this.told, state: "running", reason: null, refused: null, canGoOn: false };
    this.draw();
    this.closeStream = openStream(address(this.at, apiQuery(search, Date.now())), {
      once: !search.follow,
      onEvent: (name, data) => this.take(name, data),
      onState: (state) => this.follow(state),
      onRefused: (error) => this.end({ state: "refused", refused: error }),
    });
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (isHeld || this.held.rows.length === 0) return;
    this.kept.add(this.held.rows, true);
    this.held = new KeptRows(this.kept.isBackward);
    this.draw();
  }

  stop(): void {
    if (this.told.state === "running" || this.told.state === "following" || this.told.state === "lost") this.end({ state: "stopped" });
  }

  goOn(): void {
    const last = this.kept.rows.at(-1);
    if (last === undefined || !this.told.canGoOn) return;
    this.before = this.told.progress;
    this.fresh = 0;
    this.open(afterRow(this.search, last.timestamp_ms, sameMoment(this.kept.rows)));
  }

  close(): void {
    this.closeStream();
    clearTimeout(this.timer);
  }

  private take(name: string, data: unknown): void {
    if (name === "message") this.buffer.push(data as Message);
    else if (name === "progress") this.told.progress = added(this.before, data as Progress);
    else if (name === "problem") {
      const { message } = data as { message: string };
      if (!this.told.problems.includes(message)) this.told.problems = [...this.told.problems, message].slice(-PROBLEMS_MAX);
    } else if (name === "done") {
      this.end({ state: "done", reason: (data as { reason: DoneReason }).reason });
      return;
    }
    this.timer ??= setTimeout(() => this.draw(), DRAW_MS);
  }

  private follow(state: StreamState): void {
    const known = this.told.state;
    if (state === "open" && this.search.follow && (known === "running" || known === "lost")) this.told.state = "following";
    else if (state === "waiting") this.told.state = "lost";
    else if (state === "ended" && known === "running") this.told.state = "broken";
    else return;
    this.draw();
  }

  private end(how: Partial<Shown>): void {
    this.closeStream();
    this.gather();
    const canGoOn = how.reason === "limit" && this.fresh > 0 && this.kept.rows.length < ROWS_MAX;
    this.told = { ...this.told, ...how, canGoOn };
    this.draw();
  }

  private gather(): void {
    const isTail = this.told.state === "following" || this.told.state === "lost";
    this.fresh += (isTail && this.isHeld ? this.held : this.kept).add(this.buffer, isTail);
    this.buffer = [];
  }

  private draw(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.gather();
    const isOver = this.told.state !== "running";
    this.show((before) => ({
      ...this.told,
      // The rows of the search before stay until there is something else.
      rows: this.kept.rows.length > 0 || isOver ? this.kept.rows : before.rows,
      waiting: this.held.rows.length + this.held.dropped,
      dropped: this.kept.dropped,
    }));
  }
}

function added(before: Progress | null, progress: Progress): Progress {
  if (before === null) return progress;
  return { ...progress, scanned: before.scanned + progress.scanned, matched: before.matched + progress.matched, bytes: before.bytes + progress.bytes, elapsed_ms: before.elapsed_ms + progress.elapsed_ms };
}
