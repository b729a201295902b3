// What one broker has to carry: which partitions it leads, which it follows, where it is behind.
import type { BrokerReplica } from "../../api/brokers";
import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { allRows, type Page as PageOf } from "../../api/list";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { PAGE_SIZE, useFlag, useListState } from "../../components/list_state";
import { Bytes, Exact } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { Replicas } from "../topics/Replicas";

const EVERY_MS = 5000;
const ROLES = ["leader", "follower"] as const;

export function ReplicasTab({ cluster, broker }: { cluster: Cluster; broker: string }) {
  const list = useListState("topic");
  const { query } = usePlace();
  const role = ROLES.find((each) => each === query.get("role")) ?? null;
  const [isBehind, setBehind] = useFlag("behind");
  const at = path`/clusters/${cluster.id}/brokers/${broker}/replicas`;
  const asked = { q: list.q, sort: list.sort, role, behind: isBehind || null };
  const loaded = useApi<PageOf<BrokerReplica>>(at, { ...asked, page: list.page, page_size: PAGE_SIZE }, { everyMs: EVERY_MS });
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const isFiltered = list.q !== "" || role !== null || isBehind;
  return (
    <DataTable
      id="broker-replicas"
      label={t("broker.replicas")}
      columns={columns(cluster)}
      rows={loaded.data?.items ?? null}
      rowKey={(each) => `${each.topic} ${each.partition}`}
      sort={list.sort}
      onSort={list.setSort}
      paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<BrokerReplica>(at, asked) }}
      isSlow={loaded.isSlow}
      isFilled
      empty={
        <EmptyState
          title={isFiltered ? t("replica.none_found") : t("replica.none")}
          {...(isFiltered
            ? {
                action: (
                  <button type="button" class="button" onClick={() => setQuery({ q: null, role: null, behind: null })}>
                    {t("replica.show_all")}
                  </button>
                ),
              }
            : {})}
        >
          {isFiltered ? undefined : t("replica.none_why")}
        </EmptyState>
      }
    >
      <SearchBox value={list.q} label={t("group.search_topics")} onSearch={list.setSearch} />
      <select class="input replica-role" aria-label={t("replica.role")} value={role ?? ""} onChange={(event) => setQuery({ role: event.currentTarget.value, page: null }, { replace: true })}>
        <option value="">{t("replica.any_role")}</option>
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {t(`replica.${each}`)}
          </option>
        ))}
      </select>
      <label class="check">
        <input type="checkbox" checked={isBehind} onChange={(event) => setBehind(event.currentTarget.checked)} />
        {t("replica.only_behind")}
      </label>
    </DataTable>
  );
}

function columns(cluster: Cluster): Column<BrokerReplica>[] {
  const broker = (id: number): string => build("/clusters/:cluster/brokers/:broker", { cluster: cluster.id, broker: String(id) });
  return [
    {
      id: "topic",
      title: t("topic.title"),
      value: (each) => each.topic,
      width: 140,
      isWide: true,
      priority: 1,
      cell: (each) => (
        <a href={build("/clusters/:cluster/topics/:topic/:tab?", { cluster: cluster.id, topic: each.topic, tab: "partitions" })} title={each.topic}>
          {each.topic}
        </a>
      ),
    },
    { id: "partition", title: t("partition.number"), value: (each) => each.partition, width: 80, isNumber: true, priority: 1 },
    { id: "is_leader", title: t("replica.role"), value: (each) => (each.is_leader ? "leader" : "follower"), width: 96, priority: 2, cell: (each) => <span class={each.is_leader ? "tag accent" : "tag"}>{t(each.is_leader ? "replica.leader" : "replica.follower")}</span> },
    {
      id: "is_in_sync",
      title: t("broker.state"),
      value: (each) => (each.is_in_sync ? "in sync" : "behind"),
      width: 112,
      priority: 1,
      cell: (each) => (
        <StatusMark status={each.is_in_sync ? "good" : "warning"} isQuiet>
          {each.is_in_sync ? t("partition.replica_in_sync") : t("partition.replica_behind")}
        </StatusMark>
      ),
    },
    {
      id: "leader",
      title: t("partition.leader"),
      value: (each) => each.leader,
      width: 80,
      isNumber: true,
      isSortable: false,
      priority: 4,
      cell: (each) => (each.leader === null ? <Exact value={null} /> : <a href={broker(each.leader)}>{each.leader}</a>),
    },
    { id: "replicas", title: t("partition.replicas"), value: (each) => each.replicas.join(" "), width: 152, isSortable: false, priority: 4, cell: (each) => <Replicas partition={each} /> },
    { id: "size_bytes", title: t("topics.size"), value: (each) => each.size_bytes, width: 96, isNumber: true, priority: 3, cell: (each) => <Bytes value={each.size_bytes} /> },
  ];
}
