// One query that runs: what it reads and writes, what went wrong, its plan; and pausing, resuming, ending it.
import { useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { useMay } from "../../api/me";
import type { SqlPlan, SqlQuery, SqlSource } from "../../api/sql";
import { forget, useApi } from "../../api/use_api";
import { ActionDialog, Dialog, TypedNameDialog } from "../../components/Dialog";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Bytes, Count } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { StatusMark } from "../../components/StatusMark";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { SparkLink } from "../pipelines/SparkLink";
import { webAddress } from "../pipelines/spark_address";
import { riachoKsql } from "./commands";
import { sourceHref } from "./places";
import { PlanView } from "./PlanView";
import { QueryState } from "./QueryState";
import { Fact, StatementText } from "./SourceDetails";

type Verb = "PAUSE" | "RESUME" | "TERMINATE";

export interface QueryDrawerProps {
  cluster: Cluster;
  id: string;
  /** null: it does not run any more. */
  query: SqlQuery | null;
  sources: readonly SqlSource[] | null;
  onClose(): void;
  onChanged(): void;
}

export function QueryDrawer({ cluster, id, query, sources, onClose, onChanged }: QueryDrawerProps) {
  const [asked, setAsked] = useState<Verb | null>(null);
  const may = useMay("operator");
  const plan = useApi<SqlPlan>(query === null ? null : path`/clusters/${cluster.id}/sql/queries/${id}`);
  const isPaused = query?.state?.toUpperCase() === "PAUSED";
  return (
    <>
      <Dialog
        title={id}
        isDrawer
        onClose={onClose}
        footer={
          query !== null &&
          (may || webAddress(query.spark_ui) !== null) && (
            <>
              {may && (
                <button type="button" class="button danger" onClick={() => setAsked("TERMINATE")}>
                  <Icon name="stop" />
                  {t("sql.terminate")}
                </button>
              )}
              <span class="push" />
              <SparkLink address={query.spark_ui} />
              {may && (
                <button type="button" class="button" onClick={() => setAsked(isPaused ? "RESUME" : "PAUSE")}>
                  <Icon name={isPaused ? "play" : "pause"} />
                  {t(isPaused ? "sql.resume" : "sql.pause")}
                </button>
              )}
            </>
          )
        }
      >
        {query === null && <EmptyState title={t("sql.query_gone")}>{t("sql.query_gone_why")}</EmptyState>}
        {query !== null && (
          <div class="stack">
            <dl class="sql-facts">
              <Fact name={t("sql.column.state")}>
                <QueryState state={query.state} />
              </Fact>
              <Fact name={t("pipelines.state_size")}>
                <Count value={query.state_rows} />
              </Fact>
              <Fact name={t("pipelines.state_bytes")}>
                <Bytes value={query.state_bytes} />
              </Fact>
              <Fact name={t("sql.column.sources")}>
                <Names cluster={cluster} names={query.sources} />
              </Fact>
              <Fact name={t("sql.column.sinks")}>
                <Names cluster={cluster} names={query.sinks} />
              </Fact>
            </dl>
            {query.errors.length > 0 && (
              <section>
                <h3>{t("sql.column.errors")}</h3>
                <ul class="sql-errors">
                  {query.errors.map((error, at) => (
                    <li key={at}>
                      <StatusMark status="bad">{error}</StatusMark>
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <StatementText title={t("sql.column.statement")} sql={query.sql} />
            {plan.data === null && plan.error === null && <Skeleton isShown={plan.isSlow} />}
            {plan.data === null && plan.error !== null && <ErrorState error={plan.error} onRetry={plan.reload} />}
            {plan.data !== null && <PlanView clusterId={cluster.id} plan={plan.data} sources={sources} />}
          </div>
        )}
      </Dialog>
      {asked !== null && <Change cluster={cluster} id={id} verb={asked} onClose={() => setAsked(null)} onChanged={onChanged} />}
    </>
  );
}

function Names({ cluster, names }: { cluster: Cluster; names: readonly string[] }) {
  if (names.length === 0) return <span class="soft">–</span>;
  return names.map((name) => (
    <a key={name} class="sql-link" href={sourceHref(cluster.id, name)}>
      {name}
    </a>
  ));
}

function Change({ cluster, id, verb, onClose, onChanged }: { cluster: Cluster; id: string; verb: Verb; onClose(): void; onChanged(): void }) {
  const at = path`/clusters/${cluster.id}/sql/statements`;
  const sqlOf = (what: Verb): string => `${what} ${id};`;
  const change = async (what: Verb): Promise<void> => {
    await send("POST", at, { sql: sqlOf(what) });
    forget(path`/clusters/${cluster.id}/sql`);
    onChanged();
  };
  const action = { method: "POST" as const, path: at, body: { sql: sqlOf(verb) }, command: riachoKsql(cluster, sqlOf(verb)) };
  if (verb === "TERMINATE") {
    return (
      <TypedNameDialog
        title={t("sql.terminate")}
        verb={t("sql.terminate_verb")}
        name={id}
        action={action}
        onClose={onClose}
        onRun={async () => {
          await change(verb);
          toast({ text: t("sql.terminated", { id }) });
        }}
      >
        <p>{t("sql.terminate_why")}</p>
      </TypedNameDialog>
    );
  }
  const back = verb === "PAUSE" ? "RESUME" : "PAUSE";
  return (
    <ActionDialog
      title={t(verb === "PAUSE" ? "sql.pause_title" : "sql.resume_title", { id })}
      verb={t(verb === "PAUSE" ? "sql.pause" : "sql.resume")}
      size="small"
      action={action}
      onClose={onClose}
      onRun={async () => {
        await change(verb);
        toast({ text: t(verb === "PAUSE" ? "sql.paused" : "sql.resumed", { id }), undo: () => change(back) });
      }}
    >
      <p>{t(verb === "PAUSE" ? "sql.pause_why" : "sql.resume_why")}</p>
    </ActionDialog>
  );
}
