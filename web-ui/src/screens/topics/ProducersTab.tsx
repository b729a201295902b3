import { path } from "../../api/client";
import type { Producer, Producers } from "../../api/transactions";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { useFlag } from "../../components/list_state";
import { Exact } from "../../components/Quantity";
import { RelativeTime } from "../../components/RelativeTime";
import { StatusMark } from "../../components/StatusMark";
import { command } from "../../format/shell";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { bootstrap } from "../bootstrap";
import type { TopicTabProps } from "./tabs";

const EVERY_MS = 5000;

/** Idempotent and transactional ones: of others brokers remember nothing. */
export default function ProducersTab({ cluster, topic }: TopicTabProps) {
  const loaded = useApi<Producers>(path`/clusters/${cluster.id}/topics/${topic.name}/producers`, {}, { everyMs: EVERY_MS });
  const { query } = usePlace();
  const [isOnlyOpen, setOnlyOpen] = useFlag("open");
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const transactions = (producer: Producer): string => build("/clusters/:cluster/transactions", { cluster: cluster.id }, { q: String(producer.producer_id) });
  const columns: Column<Producer>[] = [
    { id: "partition", title: t("partition.number"), value: (each) => each.partition, width: 88, priority: 1 },
    { id: "producer_id", title: t("producers.id"), value: (each) => each.producer_id, width: 112, isNumber: true, priority: 1, cell: (each) => <span class="quantity">{each.producer_id}</span> },
    { id: "producer_epoch", title: t("producers.epoch"), value: (each) => each.producer_epoch, width: 80, isNumber: true, priority: 3, cell: (each) => <span class="quantity">{each.producer_epoch}</span> },
    { id: "last_sequence", title: t("producers.sequence"), value: (each) => each.last_sequence, width: 120, isNumber: true, priority: 2, cell: (each) => <Exact value={each.last_sequence} /> },
    { id: "last_timestamp_ms", title: t("producers.last"), value: (each) => each.last_timestamp_ms, width: 120, isNumber: true, priority: 2, cell: (each) => <RelativeTime ms={each.last_timestamp_ms} /> },
    { id: "coordinator_epoch", title: t("producers.coordinator_epoch"), value: (each) => each.coordinator_epoch, width: 128, isNumber: true, priority: 5, cell: (each) => <Exact value={each.coordinator_epoch} /> },
    {
      id: "transaction_start_offset",
      title: t("producers.transaction"),
      about: t("producers.transaction_about"),
      value: (each) => each.transaction_start_offset,
      width: 152,
      isNumber: true,
      priority: 1,
      cell: (each) =>
        each.transaction_start_offset === null ? (
          <span class="soft">{t("producers.no_transaction")}</span>
        ) : (
          <a href={transactions(each)}>
            <StatusMark status="warning">
              <Exact value={each.transaction_start_offset} />
            </StatusMark>
          </a>
        ),
    },
  ];
  return (
    <DataTable
      id="topic-producers"
      label={t("producers.title")}
      columns={columns}
      rows={loaded.data?.items.filter((each) => !isOnlyOpen || each.transaction_start_offset !== null) ?? null}
      rowKey={(each) => `${each.partition} ${each.producer_id}`}
      sort={query.get("sort") ?? "partition"}
      onSort={(sort) => setQuery({ sort: sort === "partition" ? null : sort }, { replace: true })}
      isSlow={loaded.isSlow}
      isFilled
      empty={
        <EmptyState
          title={isOnlyOpen ? t("producers.none_open") : t("producers.none")}
          command={command("kafka-transactions", "--bootstrap-server", bootstrap(cluster), "describe-producers", "--topic", topic.name, "--partition", "0")}
        >
          {t("producers.none_how")}
        </EmptyState>
      }
    >
      <label class="check">
        <input type="checkbox" checked={isOnlyOpen} onChange={(event) => setOnlyOpen(event.currentTarget.checked)} />
        {t("producers.only_open")}
      </label>
      {loaded.data?.is_cut === true && <span class="soft">{t("producers.cut", { n: loaded.data.items.length })}</span>}
    </DataTable>
  );
}
