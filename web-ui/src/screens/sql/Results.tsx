// What came of a run: a card for each statement; a single one has all the room.
import { useMemo } from "preact/hooks";
import type { Cluster } from "../../api/clusters";
import type { SqlSource } from "../../api/sql";
import type { CodeRange } from "../../components/CodeEditor";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Skeleton } from "../../components/Skeleton";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { AnswerCard } from "./AnswerCard";
import { type ErrorPlace, lineOf } from "./error_place";
import { PlanView } from "./PlanView";
import type { RowRun } from "./row_run";
import { RowsResult } from "./RowsResult";
import { identifier, type Statement } from "./statements";
import type { Outcome } from "./use_run";

export interface ResultsProps {
  cluster: Cluster;
  outcomes: readonly Outcome[];
  text: string;
  sources: readonly SqlSource[] | null;
  mayAsk: boolean;
  place(statement: Statement, place: ErrorPlace): CodeRange | null;
  onGoTo(range: CodeRange): void;
  onExample(sql: string): void;
}

export function Results({ cluster, outcomes, text, sources, mayAsk, place, onGoTo, onExample }: ResultsProps) {
  if (outcomes.length === 0) return <Examples sources={sources} mayAsk={mayAsk} onExample={onExample} />;
  const isSingle = outcomes.length === 1;
  return (
    <section class={`sql-results${isSingle ? " single" : ""}`} aria-label={t("sql.results")} tabIndex={isSingle ? -1 : 0}>
      {outcomes.map((outcome, at) => (
        <div key={at} class={`sql-outcome ${outcome.kind}`}>
          {!isSingle && <pre class="sql-said cut">{outcome.statement.text.replaceAll(/\s+/g, " ")}</pre>}
          {outcome.kind === "waiting" && <Skeleton isShown lines={3} />}
          {outcome.kind === "error" && <Refused outcome={outcome} text={text} place={place} onGoTo={onGoTo} />}
          {outcome.kind === "answer" && <Answered cluster={cluster} outcome={outcome} isSingle={isSingle} />}
          {outcome.kind === "plan" && <PlanView clusterId={cluster.id} plan={outcome.plan} sources={sources} />}
          {outcome.kind === "rows" && <Rows run={outcome.run} />}
        </div>
      ))}
    </section>
  );
}

/** Typing draws the page again; rows are drawn when they come. */
function Rows({ run }: { run: RowRun }) {
  return useMemo(() => <RowsResult key="rows" run={run} />, [run]);
}

function Answered({ cluster, outcome, isSingle }: { cluster: Cluster; outcome: Outcome & { kind: "answer" }; isSingle: boolean }) {
  if (outcome.results.length === 0) {
    return (
      <p class="sql-message" role="status">
        <StatusMark status="good">{t("sql.done")}</StatusMark>
      </p>
    );
  }
  return outcome.results.map((entity, at) => <AnswerCard key={at} clusterId={cluster.id} entity={entity} isFilled={isSingle && outcome.results.length === 1} />);
}

type RefusedProps = Pick<ResultsProps, "text" | "place" | "onGoTo"> & { outcome: Outcome & { kind: "error" } };

function Refused({ outcome, text, place, onGoTo }: RefusedProps) {
  const range = outcome.place === null ? null : place(outcome.statement, outcome.place);
  const at = range === null ? null : lineOf(text, range.from);
  return (
    <div class="sql-error" role="alert">
      <StatusMark status="bad">{t("sql.refused")}</StatusMark>
      {range !== null && at !== null && (
        <button type="button" class="button quiet" onClick={() => onGoTo({ ...range })}>
          <Icon name="edit" />
          {t("sql.error_at", { line: String(at.line), column: String(at.column) })}
        </button>
      )}
      <pre tabIndex={0}>{outcome.message}</pre>
    </div>
  );
}

const FIRST = "CREATE STREAM orders (id VARCHAR KEY, total BIGINT, city VARCHAR)\n  WITH (kafka_topic = 'orders', value_format = 'json', partitions = 1);";

/** Nothing has run yet: statements that would. */
function Examples({ sources, mayAsk, onExample }: Pick<ResultsProps, "sources" | "mayAsk" | "onExample">) {
  const known = sources?.[0];
  const examples = known === undefined ? [FIRST, "SHOW TOPICS;", "SHOW FUNCTIONS;"] : [`SELECT * FROM ${identifier(known.name)} EMIT CHANGES LIMIT 10;`, "SHOW QUERIES;", "SHOW TOPICS;"];
  return (
    <div class="sql-results">
      <EmptyState
        title={t("sql.nothing_run")}
        action={
          <div class="sql-examples">
            {examples.map((sql) => (
              <button key={sql} type="button" class="button" onClick={() => onExample(sql)}>
                <code>{sql.split("\n")[0]}</code>
                <span class="unseen">{t("sql.to_editor")}</span>
              </button>
            ))}
          </div>
        }
      >
        {mayAsk ? t("sql.nothing_run_how") : t("sql.nothing_run_viewer")}
      </EmptyState>
    </div>
  );
}
