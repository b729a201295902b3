import { useState } from "preact/hooks";
import type { Cluster } from "../../api/clusters";
import { path, send } from "../../api/client";
import { type Connector, type ConnectorTask, shortError } from "../../api/connectors";
import { useMay } from "../../api/me";
import { CopyText } from "../../components/CopyAs";
import { type Column, DataTable } from "../../components/DataTable";
import { ActionDialog } from "../../components/Dialog";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { restartCommand } from "./commands";
import { ConnectorState, stateWord } from "./ConnectorState";

/** The connector's own trace beside those of its tasks. */
const OWN = "connector";

export function TasksTab({ cluster, connector, onChanged }: { cluster: Cluster; connector: Connector; onChanged(): void }) {
  const { query } = usePlace();
  const [restarted, setRestarted] = useState<ConnectorTask | null>(null);
  const may = useMay("operator");
  const traces = new Map<string, string>([
    ...(connector.trace === null ? [] : [[OWN, connector.trace] as const]),
    ...connector.tasks.flatMap((task) => (task.trace === null ? [] : [[String(task.id), task.trace] as const])),
  ]);
  const wanted = query.get("trace") ?? "";
  const shown = traces.has(wanted) ? wanted : (traces.keys().next().value ?? null);
  // A task that waits tells for what, where one that failed tells why.
  const isFailed = shown === OWN || connector.tasks.some((task) => String(task.id) === shown && task.state === "FAILED");
  const columns: Column<ConnectorTask>[] = [
    { id: "id", title: t("connector.task"), value: (task) => task.id, width: 64, isNumber: true, priority: 1 },
    { id: "state", title: t("connectors.state"), value: (task) => stateWord(task.state), width: 128, priority: 1, cell: (task) => <ConnectorState state={task.state} /> },
    { id: "worker", title: t("connectors.worker"), value: (task) => task.worker, width: 180, priority: 3, cell: (task) => <span class="mono">{task.worker}</span> },
    {
      id: "trace",
      title: t("connectors.problem"),
      value: (task) => task.trace,
      width: 120,
      isWide: true,
      isSortable: false,
      priority: 2,
      cell: (task) =>
        task.trace === null ? null : (
          <button type="button" class={`link cut ${task.state === "FAILED" ? "connector-problem" : "soft"}`} aria-pressed={shown === String(task.id)} onClick={() => setQuery({ trace: task.id }, { replace: true })}>
            {shortError(task.trace)}
          </button>
        ),
    },
    {
      id: "restart",
      title: t("connector.restart_task"),
      value: () => null,
      width: 88,
      isAction: true,
      priority: 1,
      cell: (task) =>
        may && (
          <button type="button" class="button quiet icon" aria-label={t("connector.restart_task_of", { id: task.id })} title={t("connector.restart_task_of", { id: task.id })} onClick={() => setRestarted(task)}>
            <Icon name="refresh" />
          </button>
        ),
    },
  ];
  const at = (task: ConnectorTask): string => path`/clusters/${cluster.id}/connectors/${connector.name}/tasks/${task.id}/restart`;
  return (
    <div class={`connector-tasks${shown === null ? "" : " with-trace"}`}>
      <DataTable
        id="connector-tasks"
        label={t("connector.tab.tasks")}
        columns={columns}
        rows={connector.tasks}
        rowKey={(task) => task.id}
        onRow={(task) => task.trace !== null && setQuery({ trace: task.id }, { replace: true })}
        rowClass={(task) => (shown === String(task.id) ? "selected" : "")}
        sort={query.get("sort") ?? "id"}
        onSort={(sort) => setQuery({ sort: sort === "id" ? null : sort }, { replace: true })}
        isFilled
        empty={<EmptyState title={t("connector.no_tasks")}>{t(connector.state === "STOPPED" ? "connector.no_tasks_stopped" : "connector.no_tasks_why")}</EmptyState>}
      />
      {shown !== null && (
        <section class="connector-trace" aria-label={t("connector.trace")}>
          <header>
            <h2>{shown === OWN ? t("connector.trace_own") : t(isFailed ? "connector.trace_of" : "connector.doing_of", { id: shown })}</h2>
            {connector.trace !== null && shown !== OWN && (
              <button type="button" class="button quiet" onClick={() => setQuery({ trace: OWN }, { replace: true })}>
                {t("connector.trace_own")}
              </button>
            )}
            <span class="push" />
            <CopyText text={traces.get(shown) ?? ""} label={t("connector.trace_copy")} />
          </header>
          <pre tabIndex={0}>{traces.get(shown)}</pre>
        </section>
      )}
      {restarted !== null && (
        <ActionDialog
          title={t("connector.restart_task_of", { id: restarted.id })}
          verb={t("connector.restart")}
          size="small"
          action={{ method: "POST", path: at(restarted), command: restartCommand(cluster, connector.name, restarted.id) }}
          onClose={() => setRestarted(null)}
          onRun={async () => {
            await send("POST", at(restarted));
            toast({ text: t("connector.restarted_task", { id: restarted.id }) });
            onChanged();
          }}
        >
          <p>{t("connector.restart_task_why")}</p>
        </ActionDialog>
      )}
    </div>
  );
}
