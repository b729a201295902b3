import { type Status, StatusMark } from "../../components/StatusMark";
import { type Key, t } from "../../i18n/text";

/** Kafka's states, whatever their spelling; one that a later version brings is shown as it is. */
const STATES: Record<string, { status: Status; title: Key }> = {
  stable: { status: "good", title: "group.stable" },
  empty: { status: "idle", title: "group.empty" },
  dead: { status: "bad", title: "group.dead" },
  assigning: { status: "warning", title: "group.assigning" },
  reconciling: { status: "warning", title: "group.reconciling" },
  preparingrebalance: { status: "warning", title: "group.preparing" },
  completingrebalance: { status: "warning", title: "group.completing" },
  notready: { status: "warning", title: "group.not_ready" },
};

export function GroupState({ state }: { state: string }) {
  const known = STATES[state.toLowerCase().replace(/[^a-z]/g, "")];
  return (
    <StatusMark status={known?.status ?? "unknown"} isQuiet>
      {known === undefined ? state : t(known.title)}
    </StatusMark>
  );
}
