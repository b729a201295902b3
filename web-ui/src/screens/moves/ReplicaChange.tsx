// Replicas before and after, side by side: what leaves is struck, what comes has a plus.
import { t } from "../../i18n/text";

export function ReplicaChange({ old, target }: { old: readonly number[]; target: readonly number[] }) {
  return (
    <span class="replica-change mono">
      {old.map((id) =>
        target.includes(id) ? (
          <span key={id}>{id}</span>
        ) : (
          <del key={id} title={t("moves.leaves")}>
            {id}
          </del>
        ),
      )}
      <span class="soft" aria-label={t("moves.becomes")} role="img">
        →
      </span>
      {target.map((id) =>
        old.includes(id) ? (
          <span key={id}>{id}</span>
        ) : (
          <ins key={id} title={t("moves.comes")}>
            +{id}
          </ins>
        ),
      )}
    </span>
  );
}
