import { path } from "../../api/client";
import { useMay } from "../../api/me";
import type { Partition } from "../../api/topics";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Bytes, Count, Exact } from "../../components/Quantity";
import { type Status, StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { MoveDialog } from "../moves/MoveDialog";
import { Replicas } from "./Replicas";
import type { TopicTabProps } from "./tabs";

const EVERY_MS = 5000;

function partitionStatus(partition: Partition): { status: Status; word: string } {
  if (partition.leader === null || partition.leader < 0) return { status: "bad", word: t("partition.offline") };
  if (partition.in_sync.length < partition.replicas.length) return { status: "warning", word: t("partition.under_replicated") };
  return { status: "good", word: t("partition.in_sync") };
}

export default function PartitionsTab({ cluster, topic }: TopicTabProps) {
  const loaded = useApi<Partition[]>(path`/clusters/${cluster.id}/topics/${topic.name}/partitions`, {}, { everyMs: EVERY_MS });
  const { query } = usePlace();
  const may = useMay("admin");
  // `true` is all of them, else one.
  const moved = query.get("move");
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const columns: Column<Partition>[] = [
    { id: "partition", title: t("partition.number"), value: (each) => each.partition, width: 88, isNumber: true, priority: 1 },
    {
      id: "state",
      title: t("topics.health"),
      value: (each) => partitionStatus(each).word,
      width: 152,
      isWide: true,
      priority: 1,
      cell: (each) => {
        const { status, word } = partitionStatus(each);
        return (
          <StatusMark status={status} isQuiet>
            {word}
          </StatusMark>
        );
      },
    },
    {
      id: "leader",
      title: t("partition.leader"),
      value: (each) => each.leader,
      width: 72,
      isNumber: true,
      priority: 2,
      cell: (each) =>
        each.leader === null || each.leader < 0 ? <Exact value={null} /> : <a href={build("/clusters/:cluster/brokers/:broker", { cluster: cluster.id, broker: String(each.leader) })}>{each.leader}</a>,
    },
    { id: "replicas", title: t("partition.replicas"), value: (each) => each.replicas.join(" "), width: 152, priority: 3, cell: (each) => <Replicas partition={each} /> },
    { id: "first_offset", title: t("partition.first_offset"), value: (each) => each.first_offset, width: 128, isNumber: true, priority: 4, cell: (each) => <Exact value={each.first_offset} /> },
    { id: "next_offset", title: t("partition.next_offset"), value: (each) => each.next_offset, width: 128, isNumber: true, priority: 3, cell: (each) => <Exact value={each.next_offset} /> },
    {
      id: "messages",
      title: t("topics.messages"),
      value: (each) => (each.first_offset === null || each.next_offset === null ? null : each.next_offset - each.first_offset),
      width: 96,
      isNumber: true,
      priority: 4,
      about: t("topics.messages_about"),
      cell: (each) => <Count value={each.first_offset === null || each.next_offset === null ? null : each.next_offset - each.first_offset} />,
    },
    { id: "size_bytes", title: t("topics.size"), value: (each) => each.size_bytes, width: 96, isNumber: true, priority: 2, cell: (each) => <Bytes value={each.size_bytes} /> },
    ...(may
      ? [
          {
            id: "move",
            title: t("moves.short"),
            value: () => null,
            width: 64,
            priority: 2,
            isAction: true,
            cell: (each: Partition) => (
              <button type="button" class="button quiet icon" aria-label={t("moves.move_of", { name: `${topic.name}-${each.partition}` })} title={t("moves.move")} onClick={() => setQuery({ move: String(each.partition) })}>
                <Icon name="transactions" />
              </button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <DataTable
        id="partitions"
        label={t("topic.partitions")}
        columns={columns}
        rows={loaded.data}
        rowKey={(each) => each.partition}
        sort={query.get("sort") ?? "partition"}
        onSort={(sort) => setQuery({ sort: sort === "partition" ? null : sort }, { replace: true })}
        isSlow={loaded.isSlow}
        isFilled
        empty={<EmptyState title={t("partition.none")}>{t("partition.none_why")}</EmptyState>}
      >
        {may && (
          <button type="button" class="button" data-key="m" onClick={() => setQuery({ move: true })}>
            <Icon name="transactions" />
            {t("moves.move")}
          </button>
        )}
        <span class="soft small wide-only">{t("partition.legend")}</span>
      </DataTable>
      {moved !== null && may && (
        <MoveDialog cluster={cluster} topic={topic.name} partitions={moved === "true" ? "" : moved} onClose={() => setQuery({ move: null }, { replace: true })} onDone={loaded.reload} />
      )}
    </>
  );
}
