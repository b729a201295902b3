import { type Status, StatusMark } from "../../components/StatusMark";
import { type Key, t } from "../../i18n/text";

/** Connect's states of connectors and tasks, and those of queries; one that another version has is shown as it is. */
const STATES: Record<string, { status: Status; title: Key }> = {
  RUNNING: { status: "good", title: "connector.running" },
  PAUSED: { status: "idle", title: "connector.paused" },
  STOPPED: { status: "idle", title: "connector.stopped" },
  FAILED: { status: "bad", title: "connector.failed" },
  ERROR: { status: "bad", title: "connector.failed" },
  UNRESPONSIVE: { status: "bad", title: "connector.unresponsive" },
  UNASSIGNED: { status: "warning", title: "connector.unassigned" },
  RESTARTING: { status: "warning", title: "connector.restarting" },
};

export function stateWord(state: string): string {
  const known = STATES[state];
  return known === undefined ? state.toLowerCase() : t(known.title);
}

export function ConnectorState({ state }: { state: string | null }) {
  return (
    <StatusMark status={STATES[state ?? ""]?.status ?? "unknown"} isQuiet>
      {state === null ? t("value.unknown") : stateWord(state)}
    </StatusMark>
  );
}

/** A connector may run while its tasks do not. */
export function StateWithTasks({ state, failed, running }: { state: string; failed: number; running: number }) {
  if (state !== "RUNNING" || failed === 0) return <ConnectorState state={state} />;
  return <StatusMark status={running === 0 ? "bad" : "warning"}>{t("connector.tasks_failed", { n: failed })}</StatusMark>;
}
