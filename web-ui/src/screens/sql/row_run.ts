// A query under way: its events gathered into few drawings, held still while somebody reads, ended by who looks.
import { type ApiError, address, sentence } from "../../api/client";
import type { SqlColumn } from "../../api/sql";
import { openStream } from "../../api/sse";
import { type Store, store } from "../../store";
import { RateMeter, RowBuffer, ROWS_MAX, type SqlRow } from "./row_buffer";
import { isPrint, isPush, type Properties, type Statement } from "./statements";

const DRAW_MS = 100;
const RATE_MS = 500;

export type RowState = "running" | "done" | "stopped" | "lost" | "refused";

export interface RowsShown {
  /** null: not told yet. */
  columns: readonly SqlColumn[] | null;
  rows: readonly SqlRow[];
  state: RowState;
  count: number;
  dropped: number;
  isHeld: boolean;
  /** Came while it was held. */
  waiting: number;
  ratePerS: number | null;
  elapsedMs: number;
  problem: string | null;
}

const START: RowsShown = { columns: null, rows: [], state: "running", count: 0, dropped: 0, isHeld: false, waiting: 0, ratePerS: null, elapsedMs: 0, problem: null };

export class RowRun {
  readonly shown: Store<RowsShown> = store(START);
  readonly isTail: boolean;
  readonly isPrint: boolean;
  /** How it ended. */
  readonly ended: Promise<RowState>;
  private readonly buffer: RowBuffer;
  private readonly meter = new RateMeter();
  private readonly startMs = performance.now();
  private fresh: unknown[][] = [];
  private told: Partial<RowsShown> = {};
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly pulse: ReturnType<typeof setInterval>;
  private readonly closeStream: () => void;
  private settle: (state: RowState) => void = () => undefined;

  constructor(at: string, statement: Statement, properties: Properties) {
    this.isTail = isPush(statement);
    this.isPrint = isPrint(statement);
    this.buffer = new RowBuffer(this.isTail);
    this.ended = new Promise((resolve) => {
      this.settle = resolve;
    });
    this.pulse = setInterval(() => this.draw(), RATE_MS);
    this.closeStream = openStream(address(at), {
      once: true,
      body: { sql: statement.text, properties },
      onEvent: (name, data) => this.take(name, data),
      // A refusal is told right behind the end of its stream.
      onState: (state) => state === "ended" && queueMicrotask(() => this.end("lost")),
      onRefused: (error: ApiError) => this.end("refused", sentence(error)),
    });
    if (this.isPrint) this.told.columns = [{ name: "", type: "STRING" }];
  }

  stop(): void {
    this.end("stopped");
  }

  /** What comes is counted and not shown, so that nothing moves below the reader's eyes. */
  hold(isHeld: boolean): void {
    if (this.shown.get().state !== "running" || this.shown.get().isHeld === isHeld) return;
    this.told.isHeld = isHeld;
    this.draw();
  }

  private take(name: string, data: unknown): void {
    if (name === "header") this.told.columns = (data as { columns: SqlColumn[] }).columns;
    else if (name === "rows") this.fresh.push(...(data as { rows: unknown[][] }).rows);
    else if (name === "lines") this.fresh.push(...(data as { lines: string[] }).lines.map((line) => [line]));
    else if (name === "problem") return this.end("refused", (data as { message: string }).message);
    else if (name === "done") return this.end("done");
    this.timer ??= setTimeout(() => this.draw(), DRAW_MS);
  }

  private end(state: RowState, problem: string | null = null): void {
    if (this.shown.get().state !== "running") return;
    this.closeStream();
    clearInterval(this.pulse);
    this.told = { ...this.told, state, problem, isHeld: false };
    this.draw();
    this.settle(state);
  }

  private draw(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const before = this.shown.get();
    const isHeld = this.told.isHeld ?? before.isHeld;
    if (!isHeld && this.fresh.length > 0) {
      this.buffer.add(this.fresh);
      this.fresh = [];
    } else if (this.fresh.length > 2 * ROWS_MAX) {
      this.buffer.skip(this.fresh.splice(0, this.fresh.length - ROWS_MAX).length);
    }
    const isRunning = (this.told.state ?? before.state) === "running";
    const count = this.buffer.count + this.fresh.length;
    this.shown.set({
      ...before,
      ...this.told,
      rows: this.buffer.rows,
      count,
      dropped: this.buffer.dropped,
      waiting: this.fresh.length,
      ratePerS: isRunning ? this.meter.at(performance.now(), count) : null,
      elapsedMs: isRunning || before.state === "running" ? performance.now() - this.startMs : before.elapsedMs,
    });
  }
}
