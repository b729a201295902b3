import { path } from "../../api/client";
import { allRows, type Page as PageOf } from "../../api/list";
import type { TransactionRow } from "../../api/transactions";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { FilterSelect } from "../../components/FilterSelect";
import { PAGE_SIZE, useListState } from "../../components/list_state";
import { RelativeTime } from "../../components/RelativeTime";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { isOpen, STATE_NAMES, stateTitle, TransactionState } from "./TransactionState";

const EVERY_MS = 5000;

export default function TransactionsScreen({ cluster }: ScreenProps) {
  const list = useListState("id");
  const { query } = usePlace();
  const state = query.get("state") ?? "";
  const at = cluster === null ? null : path`/clusters/${cluster.id}/transactions`;
  const asked = { q: list.q, sort: list.sort, state };
  const loaded = useApi<PageOf<TransactionRow>>(at, { ...asked, page: list.page, page_size: PAGE_SIZE }, { everyMs: EVERY_MS });
  if (cluster === null || at === null) return null;
  const href = (id: string): string => build("/clusters/:cluster/transactions/:transaction", { cluster: cluster.id, transaction: id });
  const columns: Column<TransactionRow>[] = [
    { id: "id", title: t("transactions.id"), value: (row) => row.id, width: 144, isWide: true, priority: 1, cell: (row) => <a href={href(row.id)} title={row.id}>{row.id}</a> },
    { id: "state", title: t("transactions.state"), value: (row) => row.state, width: 136, priority: 1, cell: (row) => <TransactionState state={row.state} /> },
    { id: "producer_id", title: t("producers.id"), value: (row) => row.producer_id, width: 104, isNumber: true, priority: 3, cell: (row) => <span class="quantity">{row.producer_id}</span> },
    {
      id: "coordinator",
      title: t("groups.coordinator"),
      value: (row) => row.coordinator,
      width: 104,
      isNumber: true,
      priority: 4,
      cell: (row) => <a href={build("/clusters/:cluster/brokers/:broker", { cluster: cluster.id, broker: String(row.coordinator) })}>{row.coordinator}</a>,
    },
    // What is not open began at no time: that is known, and no dash.
    { id: "started_ms", title: t("transactions.started"), value: (row) => row.started_ms, width: 128, isNumber: true, priority: 2, cell: (row) => (row.started_ms === null && !isOpen(row.state) ? null : <RelativeTime ms={row.started_ms} />) },
  ];
  return (
    <Page title={t("transactions.title")} isFilled asOfMs={loaded.data?.as_of_ms ?? null} staleReason={loaded.data?.stale_reason ?? null}>
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="transactions"
          label={t("transactions.title")}
          columns={columns}
          rows={loaded.data?.items ?? null}
          rowKey={(row) => row.id}
          rowHref={(row) => href(row.id)}
          sort={list.sort}
          onSort={list.setSort}
          paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<TransactionRow>(at, asked) }}
          isSlow={loaded.isSlow}
          isFilled
          empty={
            list.q === "" && state === "" ? (
              <EmptyState title={t("transactions.none")} command={"transactional.id=my-app-1"}>
                {t("transactions.none_how")}
              </EmptyState>
            ) : (
              <EmptyState title={t("transactions.none_found")} action={<button type="button" class="button" onClick={() => setQuery({ q: null, state: null })}>{t("transactions.show_all")}</button>} />
            )
          }
        >
          <SearchBox value={list.q} label={t("transactions.search")} onSearch={list.setSearch} />
          <FilterSelect
            label={t("transactions.state")}
            value={state}
            options={[["", t("transactions.any_state")], ...STATE_NAMES.map((name) => [name, stateTitle(name)] as const)]}
            onChange={(value) => setQuery({ state: value, page: null })}
          />
        </DataTable>
      )}
    </Page>
  );
}
