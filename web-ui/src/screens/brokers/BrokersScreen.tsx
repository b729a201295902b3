import { path } from "../../api/client";
import type { BrokerRow } from "../../api/brokers";
import { allRows, type Page as PageOf } from "../../api/list";
import type { Reassignment } from "../../api/reassignments";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState, NoneFound } from "../../components/EmptyState";
import { useListState } from "../../components/list_state";
import { Bytes, Count, Duration } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { build, setQuery } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { BrokerState } from "./BrokerState";
import { BrokersTabs } from "./BrokersTabs";

const EVERY_MS = 5000;
const PAGE_SIZE = 500;

export default function BrokersScreen({ cluster }: ScreenProps) {
  const list = useListState("id");
  const at = cluster === null ? null : path`/clusters/${cluster.id}/brokers`;
  const asked = { q: list.q, sort: list.sort };
  const loaded = useApi<PageOf<BrokerRow>>(at, { ...asked, page: list.page, page_size: PAGE_SIZE }, { everyMs: EVERY_MS });
  const moves = useApi<Reassignment[]>(cluster === null ? null : path`/clusters/${cluster.id}/reassignments`, {}, { everyMs: EVERY_MS });
  if (cluster === null || at === null) return null;
  const href = (id: number): string => build("/clusters/:cluster/brokers/:broker", { cluster: cluster.id, broker: String(id) });
  const columns: Column<BrokerRow>[] = [
    {
      id: "id",
      title: t("broker.id"),
      value: (broker) => broker.id,
      width: 72,
      priority: 1,
      cell: (broker) => <a href={href(broker.id)}>{broker.id}</a>,
    },
    { id: "is_fenced", title: t("broker.state"), isSortable: false, value: (broker) => broker.is_fenced, width: 176, priority: 1, cell: (broker) => <BrokerState broker={broker} /> },
    { id: "host", title: t("broker.address"), value: (broker) => `${broker.host}:${broker.port}`, width: 160, isWide: true, priority: 2, cell: (broker) => <span class="mono">{`${broker.host}:${broker.port}`}</span> },
    { id: "rack", title: t("broker.rack"), value: (broker) => broker.rack, width: 96, priority: 5 },
    { id: "leaders", title: t("broker.leaders"), value: (broker) => broker.leaders, width: 80, isNumber: true, priority: 3, cell: (broker) => <Count value={broker.leaders} /> },
    { id: "replicas", title: t("broker.replicas"), value: (broker) => broker.replicas, width: 80, isNumber: true, priority: 3, cell: (broker) => <Count value={broker.replicas} /> },
    { id: "in_sync", title: t("broker.in_sync"), value: (broker) => broker.in_sync, width: 80, isNumber: true, priority: 4, cell: (broker) => <Count value={broker.in_sync} /> },
    { id: "disk_used_bytes", title: t("broker.disk_used"), value: (broker) => broker.disk_used_bytes, width: 96, isNumber: true, priority: 1, cell: (broker) => <Bytes value={broker.disk_used_bytes} /> },
    { id: "disk_total_bytes", title: t("broker.disk_total"), value: (broker) => broker.disk_total_bytes, width: 96, isNumber: true, priority: 5, about: t("broker.disk_total_about"), cell: (broker) => <Bytes value={broker.disk_total_bytes} /> },
    { id: "disk_free_bytes", title: t("broker.disk_free"), value: (broker) => broker.disk_free_bytes, width: 96, isNumber: true, priority: 4, cell: (broker) => <Bytes value={broker.disk_free_bytes} /> },
    { id: "software", title: t("broker.software"), isSortable: false, value: (broker) => broker.software, width: 128, priority: 5 },
    {
      id: "uptime_s",
      title: t("broker.uptime"),
      isSortable: false,
      value: (broker) => broker.uptime_s,
      width: 88,
      isNumber: true,
      priority: 5,
      cell: (broker) => <Duration ms={broker.uptime_s === null ? null : broker.uptime_s * 1000} />,
    },
  ];
  return (
    <Page title={t("brokers.title")} isFilled tabs={<BrokersTabs cluster={cluster} current="brokers" {...(moves.data === null ? {} : { moves: moves.data.length })} />} asOfMs={loaded.data?.as_of_ms ?? null} staleReason={loaded.data?.stale_reason ?? null}>
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="brokers"
          label={t("brokers.title")}
          columns={columns}
          rows={loaded.data?.items ?? null}
          rowKey={(broker) => broker.id}
          rowHref={(broker) => href(broker.id)}
          sort={list.sort}
          onSort={list.setSort}
          paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<BrokerRow>(at, asked) }}
          isSlow={loaded.isSlow}
          isFilled
          empty={list.q === "" ? <EmptyState title={t("brokers.none")}>{t("brokers.none_why")}</EmptyState> : <NoneFound onClear={() => setQuery({ q: null })} />}
        >
          <SearchBox value={list.q} label={t("brokers.search")} onSearch={list.setSearch} />
        </DataTable>
      )}
    </Page>
  );
}
