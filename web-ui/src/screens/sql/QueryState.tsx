import { type Status, StatusMark } from "../../components/StatusMark";
import { Unknown } from "../../components/Quantity";
import { t } from "../../i18n/text";

const STATES = { RUNNING: "good", PAUSED: "idle", ERROR: "bad", UNRESPONSIVE: "warning", CREATED: "idle", STARTING: "idle", STOPPING: "idle" } satisfies Record<string, Status>;
type Known = keyof typeof STATES;

function isKnown(state: string): state is Known {
  return Object.hasOwn(STATES, state);
}

/** In the reader's language; a state that another version has is shown in the server's own word. */
export function queryStateWord(state: string): string {
  const known = state.toUpperCase();
  return isKnown(known) ? t(`sql.query_state.${known}`) : state.toLowerCase();
}

export function QueryState({ state }: { state: string | null }) {
  if (state === null) return <Unknown />;
  const known = state.toUpperCase();
  const status = isKnown(known) ? STATES[known] : "unknown";
  return (
    <StatusMark status={status} isQuiet={status === "good"}>
      {queryStateWord(state)}
    </StatusMark>
  );
}
