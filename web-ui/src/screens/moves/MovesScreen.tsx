// Moves of replicas that are under way, how far they are, and the way to stop them.
import { useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { useMay } from "../../api/me";
import type { MoveOutcome, Reassignment } from "../../api/reassignments";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { ActionDialog } from "../../components/Dialog";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { useFlag, useListState } from "../../components/list_state";
import { Bytes, Unknown } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { StatusMark } from "../../components/StatusMark";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import { BrokersTabs } from "../brokers/BrokersTabs";
import type { ScreenProps } from "../table";
import { listCommand, moveCommand } from "./move_commands";
import { targetOf } from "./move_request";
import { MoveDialog } from "./MoveDialog";
import "./moves.css";
import { ReplicaChange } from "./ReplicaChange";
import { ThrottleLine } from "./Throttle";

const EVERY_MS = 2000;

export default function MovesScreen({ cluster }: ScreenProps) {
  const list = useListState("topic");
  const loaded = useApi<Reassignment[]>(cluster === null ? null : path`/clusters/${cluster.id}/reassignments`, {}, { everyMs: EVERY_MS });
  const [isMoving, setMoving] = useFlag("move");
  const [cancelled, setCancelled] = useState<readonly Reassignment[] | null>(null);
  const may = useMay("admin");
  if (cluster === null) return null;
  const moves = loaded.data;
  const shown = moves?.filter((move) => move.topic.toLowerCase().includes(list.q.toLowerCase())) ?? null;
  return (
    <Page
      title={t("moves.title")}
      above={{ title: t("brokers.title"), href: build("/clusters/:cluster/brokers", { cluster: cluster.id }) }}
      isFilled
      tabs={<BrokersTabs cluster={cluster} current="moves" {...(moves === null ? {} : { moves: moves.length })} />}
      actions={
        may && (
          <>
            {moves !== null && moves.length > 1 && (
              <button type="button" class="button" onClick={() => setCancelled(moves)}>
                <Icon name="stop" />
                <span class="word">{t("moves.cancel_all")}</span>
              </button>
            )}
            <button type="button" class="button main" data-key="c" onClick={() => setMoving(true)}>
              <Icon name="transactions" />
              <span class="word">{t("moves.move")}</span>
            </button>
          </>
        )
      }
    >
      <ThrottleLine cluster={cluster} />
      {moves === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="moves"
          label={t("moves.title")}
          columns={columns(cluster, may ? (move) => setCancelled([move]) : null)}
          rows={shown}
          rowKey={(move) => `${move.topic} ${move.partition}`}
          sort={list.sort}
          onSort={list.setSort}
          isSlow={loaded.isSlow}
          isFilled
          empty={
            <EmptyState title={t("moves.none")} command={listCommand(cluster)}>
              {t("moves.none_how")}
            </EmptyState>
          }
        >
          <SearchBox value={list.q} label={t("group.search_topics")} onSearch={list.setSearch} />
        </DataTable>
      )}
      {isMoving && may && <MoveDialog cluster={cluster} onClose={() => setMoving(false)} onDone={loaded.reload} />}
      {cancelled !== null && <CancelDialog cluster={cluster} moves={cancelled} onClose={() => setCancelled(null)} onDone={loaded.reload} />}
    </Page>
  );
}

function columns(cluster: Cluster, onCancel: ((move: Reassignment) => void) | null): Column<Reassignment>[] {
  return [
    {
      id: "topic",
      title: t("topic.title"),
      value: (move) => move.topic,
      width: 140,
      isWide: true,
      priority: 1,
      cell: (move) => <a href={build("/clusters/:cluster/topics/:topic/:tab?", { cluster: cluster.id, topic: move.topic, tab: "partitions" })}>{move.topic}</a>,
    },
    { id: "partition", title: t("partition.number"), value: (move) => move.partition, width: 80, isNumber: true, priority: 1 },
    {
      id: "replicas",
      title: t("moves.change"),
      value: (move) => `${before(move).join(" ")} -> ${targetOf(move).join(" ")}`,
      width: 200,
      priority: 2,
      cell: (move) => <ReplicaChange old={before(move)} target={targetOf(move)} />,
    },
    { id: "progress", title: t("moves.progress"), value: (move) => share(move), width: 180, priority: 3, cell: (move) => <Progress move={move} /> },
    { id: "bytes_copied", title: t("moves.copied"), value: (move) => move.bytes_copied, width: 96, isNumber: true, priority: 4, cell: (move) => <Bytes value={move.bytes_copied} /> },
    { id: "bytes_to_copy", title: t("moves.to_copy"), value: (move) => move.bytes_to_copy, width: 96, isNumber: true, priority: 4, cell: (move) => <Bytes value={move.bytes_to_copy} /> },
    ...(onCancel === null
      ? []
      : [
          {
            id: "cancel",
            title: t("moves.cancel"),
            value: () => null,
            width: 72,
            priority: 1,
            isAction: true,
            cell: (move: Reassignment) => (
              <button type="button" class="button quiet icon" aria-label={t("moves.cancel_of", { name: `${move.topic}-${move.partition}` })} title={t("moves.cancel")} onClick={() => onCancel(move)}>
                <Icon name="stop" />
              </button>
            ),
          },
        ]),
  ];
}

function before(move: Reassignment): number[] {
  return move.replicas.filter((id) => !move.adding.includes(id));
}

function share(move: Reassignment): number | null {
  if (move.bytes_copied === null || move.bytes_to_copy === null) return null;
  return move.bytes_to_copy === 0 ? 1 : move.bytes_copied / move.bytes_to_copy;
}

function Progress({ move }: { move: Reassignment }) {
  const done = share(move);
  if (move.away.length > 0) return <StatusMark status="warning">{t("moves.waits", { id: move.away.join(", ") })}</StatusMark>;
  if (done === null) return <Unknown />;
  return (
    <span class="move-progress">
      <meter min={0} max={1} value={done} aria-label={t("moves.progress")} />
      <span>{Math.floor(done * 100)} %</span>
    </span>
  );
}

function CancelDialog({ cluster, moves, onClose, onDone }: { cluster: Cluster; moves: readonly Reassignment[]; onClose(): void; onDone(): void }) {
  const at = path`/clusters/${cluster.id}/reassignments`;
  const body = { partitions: moves.map(({ topic, partition }) => ({ topic, partition })) };
  const there = moves.map((move) => ({ topic: move.topic, partition: move.partition, replicas: targetOf(move) }));
  return (
    <ActionDialog
      title={t("moves.cancel_title", { n: moves.length })}
      verb={t("moves.cancel_verb")}
      size="small"
      action={{ method: "DELETE", path: at, body, command: moveCommand(cluster, there, "--cancel") }}
      onClose={onClose}
      onRun={async () => {
        const outcome = await send<MoveOutcome>("DELETE", at, body);
        onDone();
        toast({
          text: t("moves.cancelled", { n: outcome.taken }),
          undo: async () => {
            await send("POST", at, { partitions: there });
            onDone();
          },
        });
      }}
    >
      <p>{t("moves.cancel_why")}</p>
    </ActionDialog>
  );
}
