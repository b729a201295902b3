import { useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { useMay } from "../../api/me";
import type { Transaction } from "../../api/transactions";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { TypedNameDialog } from "../../components/Dialog";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { Icon } from "../../components/Icon";
import { Duration } from "../../components/Quantity";
import { RelativeTime, useNow } from "../../components/RelativeTime";
import { Skeleton } from "../../components/Skeleton";
import { toast } from "../../components/toasts";
import { command } from "../../format/shell";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import { bootstrap } from "../bootstrap";
import type { ScreenProps } from "../table";
import { isOpen, TransactionState } from "./TransactionState";

const EVERY_MS = 4000;

type Partition = Transaction["partitions"][number];

export default function TransactionScreen({ cluster, params }: ScreenProps) {
  const id = params["transaction"] ?? "";
  const loaded = useApi<Transaction>(cluster === null ? null : path`/clusters/${cluster.id}/transactions/${id}`, {}, { everyMs: EVERY_MS });
  const [isAborting, setAborting] = useState(false);
  const may = useMay("admin");
  if (cluster === null) return null;
  const found = loaded.data;
  return (
    <Page
      title={id}
      above={{ title: t("transactions.title"), href: build("/clusters/:cluster/transactions", { cluster: cluster.id }) }}
      isFilled
      actions={
        may &&
        found !== null &&
        isOpen(found.state) && (
          <button type="button" class="button danger" onClick={() => setAborting(true)}>
            <Icon name="stop" />
            <span class="word">{t("transactions.abort")}</span>
          </button>
        )
      }
      tabs={<TransactionFacts found={found} clusterId={cluster.id} />}
    >
      {found === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {found === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {found !== null && <Partitions found={found} clusterId={cluster.id} />}
      {isAborting && found !== null && <AbortDialog cluster={cluster} id={id} onClose={() => setAborting(false)} onDone={loaded.reload} />}
    </Page>
  );
}

function TransactionFacts({ found, clusterId }: { found: Transaction | null; clusterId: string }) {
  const now = useNow();
  // Its coordinator ends it at its timeout: one that is older hangs.
  const isLate = found !== null && found.started_ms !== null && isOpen(found.state) && now - found.started_ms > found.timeout_ms;
  return (
    <Facts
      isAlone
      facts={[
        [t("transactions.state"), found && <TransactionState state={found.state} isLate={isLate} />],
        [t("transactions.started"), found && (found.started_ms === null && !isOpen(found.state) ? t("transactions.not_open") : <RelativeTime ms={found.started_ms} />)],
        [t("transactions.timeout"), found && <Duration ms={found.timeout_ms} />],
        [t("producers.id"), found && String(found.producer_id)],
        [t("producers.epoch"), found && String(found.producer_epoch)],
        [t("groups.coordinator"), found && <a href={build("/clusters/:cluster/brokers/:broker", { cluster: clusterId, broker: String(found.coordinator) })}>{t("broker.name", { id: String(found.coordinator) })}</a>],
      ]}
    />
  );
}

function Partitions({ found, clusterId }: { found: Transaction; clusterId: string }) {
  const { query } = usePlace();
  const href = (each: Partition, tab: string): string => build("/clusters/:cluster/topics/:topic/:tab?", { cluster: clusterId, topic: each.topic, tab });
  const columns: Column<Partition>[] = [
    { id: "topic", title: t("topic.title"), value: (each) => each.topic, width: 160, isWide: true, priority: 1, cell: (each) => <a href={href(each, "partitions")}>{each.topic}</a> },
    { id: "partition", title: t("partition.number"), value: (each) => each.partition, width: 96, isNumber: true, priority: 1 },
    { id: "producers", title: t("producers.title"), isAction: true, value: () => "", width: 120, priority: 2, cell: (each) => <a href={href(each, "producers")}>{t("producers.see")}</a> },
  ];
  return (
    <DataTable
      id="transaction-partitions"
      label={t("topics.partitions")}
      columns={columns}
      rows={found.partitions}
      rowKey={(each) => `${each.topic} ${each.partition}`}
      sort={query.get("sort") ?? "topic"}
      onSort={(sort) => setQuery({ sort: sort === "topic" ? null : sort }, { replace: true })}
      isFilled
      empty={<EmptyState title={t("transactions.no_partitions")}>{isOpen(found.state) ? t("transactions.no_partitions_yet") : t("transactions.no_partitions_why")}</EmptyState>}
    >
      <h2>{t("transactions.partitions")}</h2>
    </DataTable>
  );
}

function AbortDialog({ cluster, id, onClose, onDone }: { cluster: Cluster; id: string; onClose(): void; onDone(): void }) {
  const at = path`/clusters/${cluster.id}/transactions/${id}/abort`;
  return (
    <TypedNameDialog
      title={t("transactions.abort")}
      verb={t("transactions.abort_verb")}
      name={id}
      action={{ method: "POST", path: at, command: command("kafka-transactions", "--bootstrap-server", bootstrap(cluster), "forceTerminateTransaction", "--transactionalId", id) }}
      onClose={onClose}
      onRun={async () => {
        await send("POST", at);
        toast({ text: t("transactions.aborted", { id }) });
        onDone();
      }}
    >
      <p>{t("transactions.abort_why")}</p>
    </TypedNameDialog>
  );
}
