// What was asked to run, statement after statement, and what became of each.
import { useEffect, useRef, useState } from "preact/hooks";
import { path, send, sentence } from "../../api/client";
import type { SqlEntity, SqlPlan, SqlResults } from "../../api/sql";
import { forget } from "../../api/use_api";
import { type ErrorPlace, toldError } from "./error_place";
import { RowRun } from "./row_run";
import { afterStatement, answersRows, type Properties, type Statement } from "./statements";

/** A statement may start Spark. */
const DEADLINE_MS = 130_000;
const EXPLAIN = "EXPLAIN ";

export type Outcome = { statement: Statement } & (
  | { kind: "waiting" }
  | { kind: "answer"; results: SqlEntity[] }
  | { kind: "plan"; plan: SqlPlan }
  | { kind: "rows"; run: RowRun }
  | { kind: "error"; message: string; place: ErrorPlace | null }
);

export interface RunHooks {
  onProperties(properties: Properties): void;
  /** Each statement, when it is over or has been refused. */
  onRan(statement: Statement, isGood: boolean): void;
  onWrong(statement: Statement, place: ErrorPlace | null, message: string): void;
}

export interface SqlRun {
  outcomes: readonly Outcome[];
  isRunning: boolean;
  run(statements: readonly Statement[], properties: Properties): void;
  explain(statement: Statement, properties: Properties): void;
  stop(): void;
}

export function useRun(clusterId: string, hooks: RunHooks): SqlRun {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [isRunning, setRunning] = useState(false);
  const last = useRef(hooks);
  last.current = hooks;
  const script = useRef<Script | null>(null);
  useEffect(() => () => script.current?.stop(), [clusterId]);

  const begin = (work: (own: Script) => Promise<void>): void => {
    script.current?.stop();
    const own = new Script(clusterId, last, (shown) => script.current === own && setOutcomes(shown));
    script.current = own;
    setRunning(true);
    void work(own).finally(() => script.current === own && setRunning(false));
  };
  return {
    outcomes,
    isRunning,
    run: (statements, properties) => begin((own) => own.run(statements, properties)),
    explain: (statement, properties) => begin((own) => own.explain(statement, properties)),
    stop: () => script.current?.stop(),
  };
}

class Script {
  private readonly aborted = new AbortController();
  private rows: RowRun | null = null;
  private outcomes: Outcome[] = [];

  constructor(
    private readonly clusterId: string,
    private readonly hooks: { readonly current: RunHooks },
    private readonly show: (outcomes: readonly Outcome[]) => void,
  ) {}

  stop(): void {
    this.aborted.abort();
    this.rows?.stop();
  }

  async run(statements: readonly Statement[], properties: Properties): Promise<void> {
    let now = properties;
    for (const statement of statements) {
      if (this.aborted.signal.aborted) return;
      const isGood = await (answersRows(statement) ? this.query(statement, now) : this.execute(statement, now));
      if (this.aborted.signal.aborted && !isGood) return;
      this.hooks.current.onRan(statement, isGood);
      if (!isGood) return;
      const next = afterStatement(now, statement);
      if (next !== now) this.hooks.current.onProperties(next);
      now = next;
    }
  }

  async explain(statement: Statement, properties: Properties): Promise<void> {
    this.add({ kind: "waiting", statement });
    try {
      const plan = await send<SqlPlan>("POST", path`/clusters/${this.clusterId}/sql/explain`, { sql: statement.text, properties }, {}, { signal: this.aborted.signal });
      this.replace({ kind: "plan", statement, plan });
    } catch (error) {
      // The server counts the word before it.
      this.refuse(statement, sentence(error), statement.words[0] === "EXPLAIN" ? 0 : EXPLAIN.length);
    }
  }

  private async execute(statement: Statement, properties: Properties): Promise<boolean> {
    this.add({ kind: "waiting", statement });
    try {
      const body = { sql: statement.text, properties };
      const { results } = await send<SqlResults>("POST", path`/clusters/${this.clusterId}/sql/statements`, body, {}, { deadlineMs: DEADLINE_MS, signal: this.aborted.signal });
      forget(path`/clusters/${this.clusterId}/sql`);
      this.replace({ kind: "answer", statement, results });
      return true;
    } catch (error) {
      this.refuse(statement, sentence(error));
      return false;
    }
  }

  private async query(statement: Statement, properties: Properties): Promise<boolean> {
    const run = new RowRun(path`/clusters/${this.clusterId}/sql/query`, statement, properties);
    this.rows = run;
    this.add({ kind: "rows", statement, run });
    const state = await run.ended;
    if (state !== "refused") return state !== "lost";
    const problem = run.shown.get().problem ?? "";
    if (run.shown.get().count === 0) this.refuse(statement, problem);
    return false;
  }

  private refuse(statement: Statement, told: string, columnsBefore = 0): void {
    if (this.aborted.signal.aborted) return this.drop();
    const { message, place } = toldError(told);
    const own = place === null || place.line > 1 ? place : { ...place, column: Math.max(1, place.column - columnsBefore) };
    this.replace({ kind: "error", statement, message, place: own });
    this.hooks.current.onWrong(statement, own, message);
  }

  private add(outcome: Outcome): void {
    this.outcomes = [...this.outcomes, outcome];
    this.show(this.outcomes);
  }

  private replace(outcome: Outcome): void {
    this.outcomes = [...this.outcomes.slice(0, -1), outcome];
    this.show(this.outcomes);
  }

  private drop(): void {
    this.outcomes = this.outcomes.slice(0, -1);
    this.show(this.outcomes);
  }
}
