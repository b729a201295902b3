import type { Cluster } from "../../api/clusters";
import type { SqlQuery, SqlSource } from "../../api/sql";
import type { Loaded } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState, NoneFound } from "../../components/EmptyState";
import { Bytes } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { riachoKsql } from "./commands";
import { queryHref } from "./places";
import { QueryDrawer } from "./QueryDrawer";
import { QueryState } from "./QueryState";

const FIRST = "CREATE STREAM large_orders AS SELECT * FROM orders WHERE total > 100;";

export function QueriesTab({ cluster, loaded, sources }: { cluster: Cluster; loaded: Loaded<SqlQuery[]>; sources: readonly SqlSource[] | null }) {
  const { query } = usePlace();
  const q = query.get("q") ?? "";
  const open = query.get("query");
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const columns: Column<SqlQuery>[] = [
    { id: "id", title: t("sql.column.id"), value: (each) => each.id, width: 176, isWide: true, priority: 1, cell: (each) => <a href={queryHref(cluster.id, each.id)}>{each.id}</a> },
    { id: "state", title: t("sql.column.state"), value: (each) => each.state, width: 112, priority: 1, cell: (each) => <QueryState state={each.state} /> },
    { id: "sources", title: t("sql.column.sources"), value: (each) => each.sources.join(", "), width: 140, isWide: true, priority: 2 },
    { id: "sinks", title: t("sql.column.sinks"), value: (each) => each.sinks.join(", "), width: 140, isWide: true, priority: 3 },
    { id: "state_bytes", title: t("pipelines.state_bytes"), value: (each) => each.state_bytes, width: 84, isNumber: true, priority: 4, cell: (each) => <Bytes value={each.state_bytes} /> },
    { id: "type", title: t("sql.column.queryType"), value: (each) => each.type, width: 104, priority: 5, cell: (each) => <span class="soft">{each.type.toLowerCase()}</span> },
    { id: "errors", title: t("sql.column.errors"), value: (each) => each.errors.length, width: 72, isNumber: true, priority: 3 },
    { id: "sql", title: t("sql.column.statement"), value: (each) => each.sql, width: 240, isWide: true, priority: 4, cell: (each) => <span class="mono" title={each.sql}>{each.sql.replaceAll(/\s+/g, " ")}</span> },
  ];
  const shown = loaded.data?.find((each) => each.id === open) ?? null;
  return (
    <>
      <DataTable
        id="sql-queries"
        label={t("sql.queries")}
        columns={columns}
        rows={loaded.data?.filter((each) => `${each.id} ${each.sql}`.toLowerCase().includes(q.toLowerCase())) ?? null}
        rowKey={(each) => each.id}
        rowHref={(each) => queryHref(cluster.id, each.id)}
        rowClass={(each) => (each.id === open ? "selected" : "")}
        sort={query.get("sort") ?? "id"}
        onSort={(sort) => setQuery({ sort: sort === "id" ? null : sort }, { replace: true })}
        isSlow={loaded.isSlow}
        isFilled
        empty={
          q === "" ? (
            <EmptyState title={t("sql.no_queries")} command={riachoKsql(cluster, FIRST)}>
              {t("sql.no_queries_how")}
            </EmptyState>
          ) : (
            <NoneFound onClear={() => setQuery({ q: null }, { replace: true })} />
          )
        }
      >
        <SearchBox value={q} label={t("sql.search_queries")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
      </DataTable>
      {open !== null && loaded.data !== null && <QueryDrawer key={open} cluster={cluster} id={open} query={shown} sources={sources} onClose={() => setQuery({ query: null })} onChanged={loaded.reload} />}
    </>
  );
}
