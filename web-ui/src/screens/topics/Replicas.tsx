// The replicas of a partition: who has it, who is behind, who is away.
import type { Partition } from "../../api/topics";
import { t } from "../../i18n/text";
import "./topics.css";

export function Replicas({ partition }: { partition: Pick<Partition, "replicas" | "in_sync" | "offline_replicas"> }) {
  return (
    <span class="replicas">
      {partition.replicas.map((id) => {
        const isGone = partition.offline_replicas.includes(id);
        const isIn = partition.in_sync.includes(id);
        const word = isGone ? t("partition.replica_offline") : isIn ? t("partition.replica_in_sync") : t("partition.replica_behind");
        return (
          <span key={id} class={`tag${isGone ? " gone" : isIn ? "" : " out"}`} title={word}>
            {id}
            {isGone ? " ✕" : isIn ? "" : " …"}
            <span class="unseen"> {word}</span>
          </span>
        );
      })}
    </span>
  );
}
