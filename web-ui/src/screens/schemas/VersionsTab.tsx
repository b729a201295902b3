import { useEffect, useRef, useState } from "preact/hooks";
import { path } from "../../api/client";
import { allRows, type Page as PageOf } from "../../api/list";
import { useMay } from "../../api/me";
import type { VersionRow } from "../../api/schemas";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { PAGE_SIZE, useListState } from "../../components/list_state";
import { Exact, Unknown } from "../../components/Quantity";
import { t } from "../../i18n/text";
import { DeleteDialog } from "./DeleteDialog";
import { subjectHref } from "./hrefs";
import type { SubjectTabProps } from "./SchemaTab";

/** So many rows go into a CSV file. Each costs the registry a call. */
const CSV_ROWS_MAX = 2000;

export function VersionsTab({ cluster, subject, onChanged }: SubjectTabProps) {
  const list = useListState("-version");
  const may = useMay("admin");
  const [deleted, setDeleted] = useState<number | null>(null);
  const at = path`/clusters/${cluster.id}/schemas/${subject.subject}/versions`;
  const loaded = useApi<PageOf<VersionRow>>(at, { sort: list.sort, page: list.page, page_size: PAGE_SIZE });
  const known = subject.versions.join();
  const seen = useRef(known);
  useEffect(() => {
    if (seen.current !== known) loaded.reload();
    seen.current = known;
  }, [known]);
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const href = (version: number): string => subjectHref(cluster.id, subject.subject, "schema", { version });
  const before = (version: number): number | undefined => subject.versions[subject.versions.indexOf(version) - 1];
  const columns: Column<VersionRow>[] = [
    {
      id: "version",
      title: t("schema.version"),
      value: (row) => row.version,
      width: 120,
      isWide: true,
      priority: 1,
      cell: (row) => (
        <span class="row">
          <a href={href(row.version)}>{t("schema.n_version", { version: String(row.version) })}</a>
          {row.version === subject.versions.at(-1) && <span class="tag accent">{t("schema.is_latest")}</span>}
        </span>
      ),
    },
    { id: "id", title: t("schemas.latest_id"), value: (row) => row.id, width: 96, isNumber: true, isSortable: false, priority: 1, cell: (row) => <Exact value={row.id} /> },
    { id: "type", title: t("schemas.type"), value: (row) => row.type, width: 112, isSortable: false, priority: 3, cell: (row) => (row.type === null ? <Unknown /> : <span class="tag">{row.type}</span>) },
    { id: "references", title: t("schema.tab.references"), value: (row) => row.references, width: 104, isNumber: true, isSortable: false, priority: 4, cell: (row) => <Exact value={row.references} /> },
    {
      id: "compare",
      title: t("schema.tab.diff"),
      value: (row) => before(row.version),
      width: 160,
      isSortable: false,
      priority: 2,
      cell: (row) => {
        const from = before(row.version);
        return from === undefined ? <span class="soft">{t("schema.is_first")}</span> : <a href={subjectHref(cluster.id, subject.subject, "diff", { from, to: row.version })}>{t("schema.compare_before", { version: String(from) })}</a>;
      },
    },
    ...(may
      ? [
          {
            id: "delete",
            title: t("action.delete"),
            value: () => null,
            width: 72,
            isAction: true,
            priority: 1,
            cell: (row: VersionRow) => {
              const label = t("schema.delete_n", { version: String(row.version) });
              return (
                <button type="button" class="button quiet icon" aria-label={label} title={label} onClick={() => setDeleted(row.version)}>
                  <Icon name="trash" />
                </button>
              );
            },
          },
        ]
      : []),
  ];
  return (
    <>
      <DataTable
        id="schema-versions"
        label={t("schemas.versions")}
        columns={columns}
        rows={loaded.data?.items ?? null}
        rowKey={(row) => row.version}
        rowHref={(row) => href(row.version)}
        sort={list.sort}
        onSort={list.setSort}
        paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<VersionRow>(at, { sort: list.sort }, CSV_ROWS_MAX) }}
        isSlow={loaded.isSlow}
        isFilled
        empty={<EmptyState title={t("schema.no_versions")}>{t("schema.no_versions_why")}</EmptyState>}
      />
      {deleted !== null && <DeleteDialog cluster={cluster} subject={subject.subject} version={deleted} isLast={subject.versions.length === 1} onClose={() => setDeleted(null)} onDone={onChanged} />}
    </>
  );
}
