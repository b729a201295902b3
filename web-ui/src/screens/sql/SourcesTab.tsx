import type { Cluster } from "../../api/clusters";
import type { SqlSource } from "../../api/sql";
import type { Loaded } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { Dialog } from "../../components/Dialog";
import { EmptyState, ErrorState, NoneFound } from "../../components/EmptyState";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { riachoKsql } from "./commands";
import { sourceHref } from "./places";
import { SourceDetails } from "./SourceDetails";

const FIRST = "CREATE STREAM orders (id VARCHAR KEY, total BIGINT) WITH (kafka_topic = 'orders', value_format = 'json', partitions = 1);";

export function SourcesTab({ cluster, loaded }: { cluster: Cluster; loaded: Loaded<SqlSource[]> }) {
  const { query } = usePlace();
  const q = query.get("q") ?? "";
  const open = query.get("source");
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const columns: Column<SqlSource>[] = [
    { id: "name", title: t("sql.column.name"), value: (each) => each.name, width: 160, isWide: true, priority: 1, cell: (each) => <a href={sourceHref(cluster.id, each.name)}>{each.name}</a> },
    { id: "kind", title: t("sql.kind"), value: (each) => each.kind, width: 88, priority: 1, cell: (each) => (each.kind === "table" ? t("sql.table") : t("sql.stream")) },
    {
      id: "topic",
      title: t("sql.column.topic"),
      value: (each) => each.topic,
      width: 160,
      isWide: true,
      priority: 2,
      cell: (each) => <a href={build("/clusters/:cluster/topics/:topic", { cluster: cluster.id, topic: each.topic })}>{each.topic}</a>,
    },
    { id: "key_format", title: t("sql.column.keyFormat"), value: (each) => each.key_format, width: 120, priority: 4 },
    { id: "value_format", title: t("sql.column.valueFormat"), value: (each) => each.value_format, width: 120, priority: 3 },
    { id: "is_windowed", title: t("sql.column.isWindowed"), value: (each) => each.is_windowed, width: 88, priority: 5, cell: (each) => t(each.is_windowed ? "sql.yes" : "sql.no") },
  ];
  return (
    <>
      <DataTable
        id="sql-sources"
        label={t("sql.sources")}
        columns={columns}
        rows={loaded.data?.filter((each) => `${each.name} ${each.topic}`.toLowerCase().includes(q.toLowerCase())) ?? null}
        rowKey={(each) => each.name}
        rowHref={(each) => sourceHref(cluster.id, each.name)}
        rowClass={(each) => (each.name === open ? "selected" : "")}
        sort={query.get("sort") ?? "name"}
        onSort={(sort) => setQuery({ sort: sort === "name" ? null : sort }, { replace: true })}
        isSlow={loaded.isSlow}
        isFilled
        empty={
          q === "" ? (
            <EmptyState title={t("sql.no_sources")} command={riachoKsql(cluster, FIRST)}>
              {t("sql.no_sources_how")}
            </EmptyState>
          ) : (
            <NoneFound onClear={() => setQuery({ q: null }, { replace: true })} />
          )
        }
      >
        <SearchBox value={q} label={t("sql.search_sources")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
      </DataTable>
      {open !== null && (
        <Dialog title={open} isDrawer onClose={() => setQuery({ source: null })}>
          <SourceDetails key={open} clusterId={cluster.id} name={open} />
        </Dialog>
      )}
    </>
  );
}
