// What is done to a connector, as command lines.
import type { OffsetPair } from "../../api/connectors";
import { command } from "../../format/shell";
import { type Addresses, connectAt } from "../service_addresses";
import type { Draft } from "./draft";

export const RESTARTS = ["all", "failed", "alone"] as const;
/** Everything, what has failed of it, or the connector without its tasks. */
export type Restart = (typeof RESTARTS)[number];

const RESTART_WORDS: Record<Restart, readonly string[]> = { all: [], failed: ["--only-failed"], alone: ["--no-tasks"] };

export function pipelineCommand(cluster: Addresses, ...words: string[]): string {
  return command("riacho", "pipeline", ...words, ...connectAt(cluster));
}

export function restartCommand(cluster: Addresses, name: string, what: Restart | number): string {
  return pipelineCommand(cluster, "restart", name, ...(typeof what === "number" ? ["--task", String(what)] : RESTART_WORDS[what]));
}

export function offsetsCommand(cluster: Addresses, name: string, ...words: string[]): string {
  return pipelineCommand(cluster, "offsets", name, ...words);
}

export function moveCommand(cluster: Addresses, name: string, { partition, offset }: OffsetPair): string {
  const part = JSON.stringify(partition);
  return offset === null ? offsetsCommand(cluster, name, "--forget", part) : offsetsCommand(cluster, name, "--set", part, JSON.stringify(offset));
}

/** Creates one, or gives one that is there another config. A worker itself would take dots for the secret. */
export function createCommand(cluster: Addresses, draft: Draft): string {
  const settings = Object.entries(draft.config).flatMap(([name, value]) => ["-c", `${name}=${/^•+$/.test(value) ? "…" : value}`]);
  return pipelineCommand(cluster, "create", draft.name === "" ? "NAME" : draft.name, ...settings);
}
