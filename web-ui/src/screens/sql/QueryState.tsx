import { type Status, StatusMark } from "../../components/StatusMark";
import { Unknown } from "../../components/Quantity";

const STATES: Record<string, Status> = { RUNNING: "good", PAUSED: "idle", ERROR: "bad", UNRESPONSIVE: "warning", CREATED: "idle", STARTING: "idle", STOPPING: "idle" };

/** A query's state in the server's own word. */
export function QueryState({ state }: { state: string | null }) {
  if (state === null) return <Unknown />;
  const status = STATES[state.toUpperCase()] ?? "unknown";
  return (
    <StatusMark status={status} isQuiet={status === "good"}>
      {state.toLowerCase()}
    </StatusMark>
  );
}
