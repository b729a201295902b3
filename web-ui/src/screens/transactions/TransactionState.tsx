import { type Status, StatusMark } from "../../components/StatusMark";
import { type Key, t } from "../../i18n/text";

/** Kafka's states; one that a later version brings is shown as it is. */
const STATES: Record<string, { status: Status; title: Key }> = {
  Empty: { status: "idle", title: "transactions.empty" },
  Ongoing: { status: "good", title: "transactions.ongoing" },
  PrepareCommit: { status: "warning", title: "transactions.prepare_commit" },
  PrepareAbort: { status: "warning", title: "transactions.prepare_abort" },
  PrepareEpochFence: { status: "warning", title: "transactions.prepare_fence" },
  CompleteCommit: { status: "idle", title: "transactions.complete_commit" },
  CompleteAbort: { status: "idle", title: "transactions.complete_abort" },
  Dead: { status: "bad", title: "transactions.dead" },
};

export const STATE_NAMES = Object.keys(STATES);

export function stateTitle(state: string): string {
  const known = STATES[state];
  return known === undefined ? state : t(known.title);
}

export function TransactionState({ state, isLate }: { state: string; isLate?: boolean }) {
  return (
    <StatusMark status={isLate ? "warning" : (STATES[state]?.status ?? "unknown")} isQuiet>
      {isLate ? t("transactions.late") : stateTitle(state)}
    </StatusMark>
  );
}

/** Nothing that is finished, or was never begun, can be aborted. */
export function isOpen(state: string): boolean {
  return state === "Ongoing" || state.startsWith("Prepare");
}
