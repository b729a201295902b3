import { useEffect } from "preact/hooks";
import { get, path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { live, noteHistory, noteOverview } from "../../api/live";
import type { Metrics } from "../../api/metrics";
import type { Overview } from "../../api/overview";
import { useApi } from "../../api/use_api";
import { ErrorState } from "../../components/EmptyState";
import { Figure, Figures } from "../../components/Figure";
import { Count, Exact } from "../../components/Quantity";
import { useNow } from "../../components/RelativeTime";
import { Skeleton } from "../../components/Skeleton";
import { type Status, StatusMark } from "../../components/StatusMark";
import { relativeTime } from "../../format/time";
import { language, t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import { useStore } from "../../store";
import type { ScreenProps } from "../table";
import { health } from "./health";
import "./overview.css";
import { Alerts, Disk, LagTop, Quorum } from "./panels";
import { WINDOW_MS } from "./river";
import { Throughput } from "./Throughput";

const EVERY_MS = 5000;
/** Older than this is told in the headline. */
const OLD_MS = 15_000;

export default function OverviewScreen({ cluster }: ScreenProps) {
  const stream = useStore(live);
  const isStreamed = stream.cluster === cluster?.id && stream.state === "open" && stream.overview !== null;
  const asked = useApi<Overview>(cluster === null ? null : path`/clusters/${cluster.id}/overview`, {}, isStreamed ? {} : { everyMs: EVERY_MS });
  useEffect(() => {
    if (cluster !== null && asked.data !== null) noteOverview(cluster.id, asked.data);
  }, [asked.data]);
  useEffect(() => {
    if (cluster === null) return;
    const stop = new AbortController();
    const query = { series: ["bytes_in_per_s", "bytes_out_per_s"], from: Date.now() - WINDOW_MS };
    // Without a past the picture begins now; the figures beside it tell what is wrong, if something is.
    get<Metrics>(path`/clusters/${cluster.id}/metrics`, query, stop.signal).then((metrics) => noteHistory(cluster.id, metrics), () => undefined);
    return () => stop.abort();
  }, [cluster?.id]);
  if (cluster === null) return null;
  const overview = (stream.cluster === cluster.id ? stream.overview : null) ?? asked.data;
  return (
    <Page title={t("overview.title")} asOfMs={overview?.as_of_ms ?? null} staleReason={cluster.state === "down" ? cluster.reason : (overview?.stale_reason ?? null)} aside={<Software cluster={cluster} />}>
      {overview === null && asked.error !== null && <ErrorState error={asked.error} onRetry={asked.reload} />}
      {overview === null && asked.error === null && <Skeleton lines={8} isShown={asked.isSlow} />}
      {overview !== null && <Shown cluster={cluster} overview={overview} />}
    </Page>
  );
}

function Software({ cluster }: { cluster: Cluster }) {
  const name = cluster.is_riacho ? "Riacho" : "Apache Kafka";
  return <span class="tag overview-software">{cluster.kafka_version === null || cluster.is_riacho ? name : `${name} ${cluster.kafka_version}`}</span>;
}

function Shown({ cluster, overview }: { cluster: Cluster; overview: Overview }) {
  const now = useNow();
  const isOld = cluster.state === "down" || now - overview.as_of_ms > OLD_MS;
  const { status, sentences } = health(cluster, overview, isOld);
  const topics = build("/clusters/:cluster/topics", { cluster: cluster.id });
  const unwell = build("/clusters/:cluster/topics", { cluster: cluster.id }, { internal: true, unwell: true });
  const brokers = build("/clusters/:cluster/brokers", { cluster: cluster.id });
  // Good news of a cluster that does not answer is old news.
  const badIf = (value: number | null, worst: Status): Status => (value === null || (isOld && value === 0) ? "unknown" : value > 0 ? worst : "good");
  return (
    <div class="stack">
      <section class={`headline ${status}`} aria-live="polite">
        <StatusMark status={status} />
        <div>
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {isOld && <p class="headline-age">{t("health.old", { age: relativeTime(overview.as_of_ms, Math.max(now, overview.as_of_ms), language()) })}</p>}
        </div>
      </section>
      <Figures>
        <Figure name={t("overview.brokers")} status={badIf(overview.brokers.total - overview.brokers.online, "bad")} href={brokers}>
          <span>
            <Exact value={overview.brokers.online} />
            <span class="soft"> / {overview.brokers.total}</span>
          </span>
        </Figure>
        <Figure name={t("overview.under_replicated")} status={badIf(overview.under_replicated, "warning")} href={unwell}>
          <Count value={overview.under_replicated} />
        </Figure>
        <Figure name={t("overview.offline")} status={badIf(overview.offline, "bad")} href={unwell}>
          <Count value={overview.offline} />
        </Figure>
        <Figure name={t("overview.under_min_isr")} status={badIf(overview.under_min_isr, "bad")} href={unwell}>
          <Count value={overview.under_min_isr} />
        </Figure>
        <Figure name={t("overview.topics")} href={topics}>
          <Count value={overview.topics} />
        </Figure>
        <Figure name={t("overview.partitions")}>
          <Count value={overview.partitions} />
        </Figure>
        <Figure name={t("overview.controller")} {...(overview.controller === null ? {} : { href: build("/clusters/:cluster/brokers/:broker", { cluster: cluster.id, broker: String(overview.controller) }) })}>
          <Exact value={overview.controller} />
        </Figure>
      </Figures>
      <div class="overview-columns">
        <div class="stack">
          <Throughput overview={overview} isCounted={cluster.has.metrics} />
          <Quorum overview={overview} />
        </div>
        <div class="stack">
          <Alerts cluster={cluster} />
          <LagTop cluster={cluster} overview={overview} />
          <Disk overview={overview} />
        </div>
      </div>
    </div>
  );
}
