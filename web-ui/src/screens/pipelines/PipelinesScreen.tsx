// Everything that runs on Spark beside the cluster: connectors and queries in one list.
import { path } from "../../api/client";
import { shortError } from "../../api/connectors";
import type { Pipeline, PipelineList } from "../../api/pipelines";
import { useApi } from "../../api/use_api";
import { CopyAs } from "../../components/CopyAs";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState, NoneFound } from "../../components/EmptyState";
import { Bytes, Count, Duration } from "../../components/Quantity";
import { RelativeTime } from "../../components/RelativeTime";
import { SearchBox } from "../../components/SearchBox";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import { pipelineCommand } from "../connectors/commands";
import { riachoKsql } from "../sql/commands";
import type { ScreenProps } from "../table";
import { PipelineDrawer } from "./PipelineDrawer";
import { PipelineState, pipelineStateWord } from "./PipelineState";
import "./pipelines.css";

const EVERY_MS = 3000;
const FIRST = "CREATE TABLE counts AS SELECT what, COUNT(*) AS n FROM orders GROUP BY what EMIT CHANGES;";

/** In the URL: a connector and a query may have one name. */
function idOf(pipeline: Pipeline): string {
  return `${pipeline.kind}:${pipeline.name}`;
}

export default function PipelinesScreen({ cluster }: ScreenProps) {
  const { query } = usePlace();
  const at = cluster === null ? null : path`/clusters/${cluster.id}/pipelines`;
  const loaded = useApi<PipelineList>(at, {}, { everyMs: EVERY_MS });
  if (cluster === null || at === null) return null;
  const q = query.get("q") ?? "";
  const kind = query.get("kind");
  const wanted = q.toLowerCase();
  const all = loaded.data?.items ?? null;
  const rows = all?.filter((each) => `${each.name} ${each.problem ?? ""}`.toLowerCase().includes(wanted) && (kind === null || each.kind === kind)) ?? null;
  const open = all?.find((each) => idOf(each) === query.get("pipeline")) ?? null;
  const show = (pipeline: Pipeline | null): void => setQuery({ pipeline: pipeline === null ? null : idOf(pipeline), range: null, from: null, to: null });
  return (
    <Page title={t("pipelines.title")} isFilled asOfMs={loaded.data?.as_of_ms ?? null}>
      {loaded.data?.problems.map((problem) => (
        <div key={problem} class="pipeline-trouble">
          <StatusMark status="warning">{problem}</StatusMark>
        </div>
      ))}
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="pipelines"
          label={t("pipelines.title")}
          columns={columns(show)}
          rows={rows}
          rowKey={idOf}
          onRow={show}
          sort={query.get("sort") ?? "name"}
          onSort={(sort) => setQuery({ sort: sort === "name" ? null : sort }, { replace: true })}
          isSlow={loaded.isSlow}
          isFilled
          empty={
            q !== "" || kind !== null ? (
              <NoneFound onClear={() => setQuery({ q: null, kind: null })} />
            ) : (
              <EmptyState title={t("pipelines.none")} command={riachoKsql(cluster, FIRST)}>
                {t("pipelines.none_how")}
              </EmptyState>
            )
          }
        >
          <SearchBox value={q} label={t("pipelines.search")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
          <select class="input pipeline-kind" aria-label={t("pipelines.kind")} value={kind ?? ""} onChange={(event) => setQuery({ kind: event.currentTarget.value }, { replace: true })}>
            <option value="">{t("pipelines.both")}</option>
            <option value="connector">{t("pipelines.kind.connector")}</option>
            <option value="query">{t("pipelines.kind.query")}</option>
          </select>
          <CopyAs action={{ method: "GET", path: at, command: pipelineCommand(cluster, "list") }} />
        </DataTable>
      )}
      {open !== null && <PipelineDrawer cluster={cluster} pipeline={open} onClose={() => show(null)} />}
    </Page>
  );
}

function columns(show: (pipeline: Pipeline) => void): Column<Pipeline>[] {
  return [
    {
      id: "name",
      title: t("pipelines.name"),
      value: (each) => each.name,
      width: 132,
      isWide: true,
      priority: 1,
      cell: (each) => (
        <button type="button" class="link cut pipeline-name" title={each.name} onClick={() => show(each)}>
          {each.name}
        </button>
      ),
    },
    { id: "kind", title: t("pipelines.kind"), value: (each) => each.kind, width: 84, priority: 5, cell: (each) => <span class="soft">{t(`pipelines.kind.${each.kind}`)}</span> },
    { id: "state", title: t("connectors.state"), value: pipelineStateWord, width: 116, priority: 1, cell: (each) => <PipelineState pipeline={each} /> },
    { id: "rows_per_s", title: t("pipelines.rate"), value: (each) => each.rows_per_s, width: 84, isNumber: true, priority: 1, cell: (each) => <Count value={each.rows_per_s} per /> },
    { id: "batch_ms", title: t("pipelines.latency"), value: (each) => each.batch_ms, width: 100, isNumber: true, priority: 3, about: t("pipelines.latency_of"), cell: (each) => <Duration ms={each.batch_ms} /> },
    { id: "lag", title: t("pipelines.lag"), value: (each) => each.lag, width: 72, isNumber: true, priority: 2, cell: (each) => <Count value={each.lag} /> },
    { id: "state_rows", title: t("pipelines.state_size"), value: (each) => each.state_rows, width: 92, isNumber: true, priority: 4, cell: (each) => <Count value={each.state_rows} /> },
    { id: "state_bytes", title: t("pipelines.state_bytes"), value: (each) => each.state_bytes, width: 84, isNumber: true, priority: 4, cell: (each) => <Bytes value={each.state_bytes} /> },
    { id: "rows", title: t("pipelines.rows_read"), value: (each) => each.rows, width: 84, isNumber: true, priority: 6, isHidden: true, cell: (each) => <Count value={each.rows} /> },
    { id: "errors", title: t("pipelines.errors"), value: (each) => each.errors, width: 68, isNumber: true, priority: 4, cell: (each) => <Count value={each.errors} /> },
    { id: "dead_letters", title: t("connector.dead_letters"), value: (each) => each.dead_letters, width: 96, isNumber: true, priority: 4, cell: (each) => <Count value={each.dead_letters} /> },
    { id: "updated_ms", title: t("pipelines.updated"), value: (each) => each.updated_ms, width: 104, priority: 5, cell: (each) => <RelativeTime ms={each.updated_ms} /> },
    { id: "problem", title: t("pipelines.problem"), value: (each) => each.problem ?? each.doing, width: 160, isWide: true, isSortable: false, priority: 5, cell: (each) => <span class={each.doing === null && each.problem !== null ? "pipeline-bad" : "soft"} title={each.doing ?? each.problem ?? ""}>{shortError(each.doing ?? each.problem ?? "")}</span> },
  ];
}
