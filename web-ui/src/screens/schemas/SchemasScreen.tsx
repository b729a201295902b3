import { path } from "../../api/client";
import { allRows, type Page as PageOf } from "../../api/list";
import { useMay } from "../../api/me";
import type { SubjectRow } from "../../api/schemas";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { PAGE_SIZE, useListState } from "../../components/list_state";
import { Exact, Unknown } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { firstCommand } from "./commands";
import { subjectHref } from "./hrefs";
import { SchemaDialog } from "./SchemaDialog";
import "./schemas.css";

const EVERY_MS = 10_000;
/** So many rows go into a CSV file. Each costs the registry three calls. */
const CSV_ROWS_MAX = 2000;

export default function SchemasScreen({ cluster }: ScreenProps) {
  const list = useListState("subject");
  const { query } = usePlace();
  const may = useMay("admin");
  const at = cluster === null ? null : path`/clusters/${cluster.id}/schemas`;
  const asked = { q: list.q, sort: list.sort, page_size: PAGE_SIZE };
  const loaded = useApi<PageOf<SubjectRow>>(at, { ...asked, page: list.page }, { everyMs: EVERY_MS });
  if (cluster === null || at === null) return null;
  const href = (subject: string): string => subjectHref(cluster.id, subject);
  const columns: Column<SubjectRow>[] = [
    { id: "subject", title: t("schemas.subject"), value: (row) => row.subject, width: 176, isWide: true, priority: 1, cell: (row) => <a href={href(row.subject)} title={row.subject}>{row.subject}</a> },
    { id: "type", title: t("schemas.type"), value: (row) => row.type, width: 104, isSortable: false, priority: 2, cell: (row) => (row.type === null ? <Unknown /> : <span class="tag">{row.type}</span>) },
    { id: "versions", title: t("schemas.versions"), value: (row) => row.versions, width: 88, isNumber: true, isSortable: false, priority: 1, cell: (row) => <Exact value={row.versions} /> },
    { id: "latest_version", title: t("schemas.latest"), value: (row) => row.latest_version, width: 80, isNumber: true, isSortable: false, priority: 4, cell: (row) => <Exact value={row.latest_version} /> },
    { id: "latest_id", title: t("schemas.latest_id"), value: (row) => row.latest_id, width: 96, isNumber: true, isSortable: false, priority: 3, cell: (row) => <Exact value={row.latest_id} /> },
    { id: "compatibility", title: t("schemas.compatibility"), value: (row) => row.compatibility, width: 200, isSortable: false, priority: 3, cell: (row) => (row.compatibility === null ? <Unknown /> : <span class="mono">{row.compatibility}</span>) },
  ];
  const create = may && (
    <button type="button" class="button main" onClick={() => setQuery({ create: true })}>
      <Icon name="plus" />
      <span class="word">{t("schemas.create")}</span>
    </button>
  );
  return (
    <Page title={t("schemas.title")} isFilled asOfMs={loaded.data?.as_of_ms ?? null} staleReason={loaded.data?.stale_reason ?? null} actions={create}>
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="schemas"
          label={t("schemas.title")}
          columns={columns}
          rows={loaded.data?.items ?? null}
          rowKey={(row) => row.subject}
          rowHref={(row) => href(row.subject)}
          sort={list.sort}
          onSort={list.setSort}
          paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<SubjectRow>(at, asked, CSV_ROWS_MAX) }}
          isSlow={loaded.isSlow}
          isFilled
          empty={
            list.q === "" ? (
              <EmptyState title={t("schemas.none")} command={firstCommand(cluster, "orders")}>
                {t("schemas.none_how")}
              </EmptyState>
            ) : (
              <EmptyState title={t("schemas.none_found")} action={<button type="button" class="button" onClick={() => setQuery({ q: null })}>{t("schemas.show_all")}</button>}>
                {t("schemas.none_found_why")}
              </EmptyState>
            )
          }
        >
          <SearchBox value={list.q} label={t("schemas.search")} onSearch={list.setSearch} />
        </DataTable>
      )}
      {may && query.get("create") === "true" && (
        <SchemaDialog cluster={cluster} subject={query.get("subject") ?? ""} latest={null} versions={[]} onClose={() => setQuery({ create: null, subject: null }, { replace: true })} onDone={loaded.reload} />
      )}
    </Page>
  );
}
