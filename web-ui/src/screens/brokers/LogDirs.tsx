// The directories of a broker: how full each is, and what is wrong with it.
import type { LogDir } from "../../api/brokers";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState } from "../../components/EmptyState";
import { Bytes, Count } from "../../components/Quantity";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";

export function LogDirs({ dirs }: { dirs: readonly LogDir[] }) {
  const { query } = usePlace();
  const columns: Column<LogDir>[] = [
    { id: "path", title: t("log_dir.path"), value: (dir) => dir.path, width: 200, isWide: true, priority: 1, cell: (dir) => <span class="mono">{dir.path}</span> },
    {
      id: "error",
      title: t("broker.state"),
      value: (dir) => dir.error,
      width: 220,
      priority: 2,
      cell: (dir) => (
        <StatusMark status={dir.error === null ? "good" : "bad"} isQuiet>
          {dir.error ?? t("log_dir.good")}
        </StatusMark>
      ),
    },
    { id: "topics", title: t("topics.title"), value: (dir) => dir.topics, width: 88, isNumber: true, priority: 3, cell: (dir) => <Count value={dir.topics} /> },
    { id: "size_bytes", title: t("broker.disk_used"), value: (dir) => dir.size_bytes, width: 104, isNumber: true, priority: 1, cell: (dir) => <Bytes value={dir.size_bytes} /> },
    { id: "total_bytes", title: t("broker.disk_total"), value: (dir) => dir.total_bytes, width: 104, isNumber: true, priority: 4, about: t("broker.disk_total_about"), cell: (dir) => <Bytes value={dir.total_bytes} /> },
    { id: "free_bytes", title: t("broker.disk_free"), value: (dir) => dir.free_bytes, width: 104, isNumber: true, priority: 1, cell: (dir) => <Bytes value={dir.free_bytes} /> },
  ];
  return (
    <DataTable
      id="log-dirs"
      label={t("broker.log_dirs")}
      columns={columns}
      rows={dirs}
      rowKey={(dir) => dir.path}
      sort={query.get("sort") ?? "path"}
      onSort={(sort) => setQuery({ sort: sort === "path" ? null : sort }, { replace: true })}
      isFilled
      empty={<EmptyState title={t("log_dir.none")}>{t("log_dir.none_why")}</EmptyState>}
    />
  );
}
