// One pipeline over the last day.
import { t } from "../../i18n/text";
import { type ChartPlan, Charts } from "../metrics/Charts";

const PLANS: readonly ChartPlan[] = [
  { title: "pipelines.rate", unit: "count", isPer: true, series: [{ name: "pipeline_rows_per_s", title: "pipelines.rows" }] },
  { title: "pipelines.latency", unit: "ms", series: [{ name: "pipeline_batch_ms", title: "pipelines.latency_of" }] },
  { title: "pipelines.state_size", unit: "count", series: [{ name: "pipeline_state_rows", title: "pipelines.rows" }] },
  { title: "pipelines.state_bytes", unit: "bytes", series: [{ name: "pipeline_state_bytes", title: "pipelines.state_bytes_of" }] },
  { title: "pipelines.lag", unit: "count", series: [{ name: "pipeline_lag", title: "pipelines.lag" }] },
];

export function PipelineCharts({ cluster, kind, name }: { cluster: string; kind: string; name: string }) {
  return <Charts clusterId={cluster} plans={PLANS} labels={{ kind, name }} note={t("pipelines.kept")} />;
}
