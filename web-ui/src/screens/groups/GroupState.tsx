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
  unknown: { status: "unknown", title: "value.unknown" },
  notready: { status: "warning", title: "group.not_ready" },
};

function known(state: string): { status: Status; title: Key } | undefined {
  return STATES[state.toLowerCase().replace(/[^a-z]/g, "")];
}

export function stateWord(state: string): string {
  const found = known(state);
  return found === undefined ? state : t(found.title);
}

/** `isOld`: as it was last seen. Old good news is not green. */
export function GroupState({ state, isOld = false }: { state: string; isOld?: boolean }) {
  const status = known(state)?.status ?? "unknown";
  return (
    <StatusMark status={isOld && status === "good" ? "unknown" : status} isQuiet>
      {stateWord(state)}
    </StatusMark>
  );
}
