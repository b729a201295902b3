import { t } from "../../i18n/text";
import { type ChartPlan, Charts } from "../metrics/Charts";
import type { TopicTabProps } from "./tabs";

const PLANS: readonly ChartPlan[] = [
  { title: "metrics.bytes", unit: "bytes", isPer: true, series: [{ name: "topic_bytes_in_per_s", title: "metrics.in" }, { name: "topic_bytes_out_per_s", title: "metrics.out" }] },
  { title: "metrics.messages", unit: "count", isPer: true, series: [{ name: "topic_messages_in_per_s", title: "metrics.in" }] },
  { title: "metrics.size", unit: "bytes", series: [{ name: "topic_size_bytes", title: "metrics.size" }] },
];

export default function MetricsTab({ cluster, topic }: TopicTabProps) {
  return (
    <div class="tab-room">
      <Charts clusterId={cluster.id} plans={PLANS} labels={{ topic: topic.name }} note={t("metrics.busiest")} />
    </div>
  );
}
