// What a move would mean: which replicas change, how much is copied, what each broker carries afterwards.
import type { Plan, PlannedBroker, PlannedMove } from "../../api/reassignments";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState } from "../../components/EmptyState";
import { Bytes, Count } from "../../components/Quantity";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { ReplicaChange } from "./ReplicaChange";

export function MovePreview({ plan, error }: { plan: Plan | null; error: string | null }) {
  const columns: Column<PlannedMove>[] = [
    { id: "topic", title: t("topic.title"), value: (row) => row.topic, width: 88, isWide: true, priority: 1 },
    { id: "partition", title: t("partition.number"), value: (row) => row.partition, width: 68, isNumber: true, priority: 1 },
    {
      id: "replicas",
      title: t("moves.change"),
      value: (row) => `${row.old.join(" ")} -> ${row.new.join(" ")}`,
      width: 140,
      priority: 1,
      cell: (row) => <ReplicaChange old={row.old} target={row.new} />,
    },
    { id: "bytes_to_copy", title: t("moves.to_copy"), value: (row) => row.bytes_to_copy, width: 96, isNumber: true, priority: 2, cell: (row) => <Bytes value={row.bytes_to_copy} /> },
  ];
  return (
    <div class="panel move-preview">
      {error !== null && (
        <div class="dialog-error" role="alert">
          <StatusMark status="bad" />
          <span>{error}</span>
        </div>
      )}
      <DataTable
        id="move-preview"
        label={t("moves.preview")}
        columns={columns}
        rows={plan?.rows ?? []}
        rowKey={(row) => `${row.topic} ${row.partition}`}
        isFilled
        empty={
          plan === null ? (
            <EmptyState title={t("moves.preview")}>{t("moves.preview_how")}</EmptyState>
          ) : (
            <EmptyState title={t("moves.nothing")}>{t("moves.nothing_why", { n: plan.unchanged })}</EmptyState>
          )
        }
      >
        <h3>{t("moves.preview")}</h3>
        {plan !== null && plan.rows.length > 0 && (
          <span class="soft small move-sum">
            {t("moves.to_copy")} <Bytes value={plan.bytes_to_copy} />
            {plan.unchanged > 0 && ` · ${t("moves.stay", { n: plan.unchanged })}`}
          </span>
        )}
      </DataTable>
      {plan !== null && plan.brokers.length > 0 && <Brokers brokers={plan.brokers} />}
    </div>
  );
}

function Brokers({ brokers }: { brokers: readonly PlannedBroker[] }) {
  return (
    <ul class="move-brokers small">
      {brokers.map((each) => {
        const isTight = each.bytes_coming !== null && each.disk_free_bytes !== null && each.bytes_coming > each.disk_free_bytes;
        return (
          <li key={each.id}>
            <strong>{t("broker.name", { id: String(each.id) })}</strong>
            <span>
              <Count value={each.replicas_before} /> → <Count value={each.replicas_after} /> <span class="soft">{t("moves.replicas")}</span>
            </span>
            {each.bytes_coming !== 0 && (
              <span>
                + <Bytes value={each.bytes_coming} />
              </span>
            )}
            {each.bytes_leaving !== 0 && (
              <span class="soft">
                − <Bytes value={each.bytes_leaving} />
              </span>
            )}
            {isTight && (
              <StatusMark status="warning">
                {t("moves.tight")} <Bytes value={each.disk_free_bytes} />
              </StatusMark>
            )}
          </li>
        );
      })}
    </ul>
  );
}
