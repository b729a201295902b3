// What is done to a connector, as command lines.
import type { OffsetPair } from "../../api/connectors";
import { command } from "../../format/shell";
import type { Draft } from "./draft";

export const RESTARTS = ["all", "failed", "alone"] as const;
/** Everything, what has failed of it, or the connector without its tasks. */
export type Restart = (typeof RESTARTS)[number];

const RESTART_WORDS: Record<Restart, readonly string[]> = { all: [], failed: ["--only-failed"], alone: ["--no-tasks"] };

export function restartCommand(name: string, what: Restart | number): string {
  return command("riacho", "pipeline", "restart", name, ...(typeof what === "number" ? ["--task", String(what)] : RESTART_WORDS[what]));
}

export function offsetsCommand(name: string, ...words: string[]): string {
  return command("riacho", "pipeline", "offsets", name, ...words);
}

export function moveCommand(name: string, { partition, offset }: OffsetPair): string {
  const part = JSON.stringify(partition);
  return offset === null ? offsetsCommand(name, "--forget", part) : offsetsCommand(name, "--set", part, JSON.stringify(offset));
}

/** Creates one, or gives one that is there another config. A worker itself would take dots for the secret. */
export function createCommand(draft: Draft): string {
  const settings = Object.entries(draft.config).flatMap(([name, value]) => ["-c", `${name}=${/^•+$/.test(value) ? "…" : value}`]);
  return command("riacho", "pipeline", "create", draft.name === "" ? "NAME" : draft.name, ...settings);
}
