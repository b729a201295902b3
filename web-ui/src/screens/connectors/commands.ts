// The command line that creates a connector, or gives one that is there another config.
import { command } from "../../format/shell";
import type { Draft } from "./draft";

/** A worker itself would take dots for the secret. */
export function createCommand(draft: Draft): string {
  const settings = Object.entries(draft.config).flatMap(([name, value]) => ["-c", `${name}=${/^•+$/.test(value) ? "…" : value}`]);
  return command("riacho", "pipeline", "create", draft.name === "" ? "NAME" : draft.name, ...settings);
}
