// A plan: the way of the rows as a graph, and the server's own texts below it.
import { useMemo } from "preact/hooks";
import type { SqlPlan, SqlSource } from "../../api/sql";
import { CopyText } from "../../components/CopyAs";
import { FlowGraph, type FlowNode } from "../../components/FlowGraph";
import { t, useLanguage } from "../../i18n/text";
import { build } from "../../router";
import { graphOf } from "./plan";

export interface PlanViewProps {
  clusterId: string;
  plan: SqlPlan;
  /** Whose topics they are; null where that is not known. */
  sources: readonly SqlSource[] | null;
}

export function PlanView({ clusterId, plan, sources }: PlanViewProps) {
  const language = useLanguage();
  const graph = useMemo(() => graphOf(plan.plan, plan.topology, plan), [plan.plan, plan.topology]);
  const nodes = useMemo(
    () =>
      graph?.nodes.map((node): FlowNode => {
        const note = node.note ?? (node.kind === "topic" ? (sources?.find((each) => each.topic === node.name)?.name ?? null) : null);
        return {
          id: node.id,
          name: node.kind === "client" ? t("sql.client") : node.name,
          kind: node.kind === "topic" ? "topic" : node.kind === "client" ? "consumer" : "step",
          kindName: t(`sql.node.${node.kind}`),
          ...(note === null ? {} : { note }),
          ...(node.kind === "topic" ? { href: build("/clusters/:cluster/topics/:topic", { cluster: clusterId, topic: node.name }) } : {}),
        };
      }) ?? [],
    [graph, sources, clusterId, language],
  );
  return (
    <div class="sql-plan">
      {graph !== null && (
        <div class="sql-graph">
          <FlowGraph label={t("sql.plan_graph")} nodes={nodes} edges={graph.edges.map((each) => ({ ...each, weight: 0 }))} isFitted isClose />
        </div>
      )}
      <PlanText title={t("sql.plan")} text={plan.plan} />
      <PlanText title={t("sql.topology")} text={plan.topology} />
    </div>
  );
}

function PlanText({ title, text }: { title: string; text: string }) {
  if (text.trim() === "") return null;
  return (
    <section class="sql-plan-text">
      <header class="row">
        <h3>{title}</h3>
        <CopyText text={text} />
      </header>
      <pre tabIndex={0}>{text.replaceAll("\t\t", "  ").trimEnd()}</pre>
    </section>
  );
}
