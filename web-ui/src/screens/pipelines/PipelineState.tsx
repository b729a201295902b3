import type { Pipeline } from "../../api/pipelines";
import { ConnectorState, stateWord } from "../connectors/ConnectorState";
import { QueryState, queryStateWord } from "../sql/QueryState";

type Shown = Pick<Pipeline, "kind" | "state">;

export function pipelineStateWord({ kind, state }: Shown): string | null {
  return state === null ? null : kind === "query" ? queryStateWord(state) : stateWord(state);
}

/** As the page of the connector has it, or that of the query. */
export function PipelineState({ pipeline }: { pipeline: Shown }) {
  return pipeline.kind === "query" ? <QueryState state={pipeline.state} /> : <ConnectorState state={pipeline.state} />;
}
