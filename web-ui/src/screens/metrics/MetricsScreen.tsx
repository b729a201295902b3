import { t } from "../../i18n/text";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { type ChartPlan, Charts } from "./Charts";

const PLANS: readonly ChartPlan[] = [
  { title: "metrics.bytes", unit: "bytes", isPer: true, series: [{ name: "bytes_in_per_s", title: "metrics.in" }, { name: "bytes_out_per_s", title: "metrics.out" }] },
  { title: "metrics.messages", unit: "count", isPer: true, series: [{ name: "messages_in_per_s", title: "metrics.in" }] },
  { title: "metrics.requests", unit: "count", isPer: true, series: [{ name: "requests_per_s", title: "metrics.requests" }] },
  { title: "metrics.lag", unit: "count", series: [{ name: "lag", title: "metrics.lag" }] },
  {
    title: "metrics.partitions",
    unit: "count",
    series: [
      { name: "under_replicated", title: "overview.under_replicated" },
      { name: "under_min_isr", title: "overview.under_min_isr" },
      { name: "offline", title: "overview.offline" },
    ],
  },
  { title: "metrics.disk", unit: "bytes", series: [{ name: "disk_used_bytes", title: "overview.disk_used" }] },
];

export default function MetricsScreen({ cluster }: ScreenProps) {
  if (cluster === null) return null;
  return (
    <Page title={t("metrics.title")}>
      <Charts clusterId={cluster.id} plans={PLANS} {...(cluster.has.metrics ? {} : { note: t("metrics.any_kafka") })} />
    </Page>
  );
}
