import { useEffect } from "preact/hooks";
import type { Firing } from "../../api/alerts";
import { get, path, sentence } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { live, noteHistory, noteOverview } from "../../api/live";
import type { Metrics } from "../../api/metrics";
import type { Overview } from "../../api/overview";
import { useApi } from "../../api/use_api";
import { ErrorState } from "../../components/EmptyState";
import { Figure, Figures } from "../../components/Figure";
import { Bytes, Count, Duration, Exact, Unknown } from "../../components/Quantity";
import { RelativeTime, useNow } from "../../components/RelativeTime";
import { Skeleton } from "../../components/Skeleton";
import { type Status, StatusMark } from "../../components/StatusMark";
import { bytes } from "../../format/quantity";
import { language, t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import { useStore } from "../../store";
import { alertHref } from "../alerts/kinds";
import type { ScreenProps } from "../table";
import { health } from "./health";
import "./overview.css";
import { river, WINDOW_MS } from "./river";

const EVERY_MS = 5000;
const ALERTS_MAX = 5;

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
  const { status, sentences } = health(cluster, overview);
  const topics = build("/clusters/:cluster/topics", { cluster: cluster.id });
  const brokers = build("/clusters/:cluster/brokers", { cluster: cluster.id });
  const badIf = (value: number | null, worst: Status): Status => (value === null ? "unknown" : value > 0 ? worst : "good");
  return (
    <div class="stack">
      <section class={`headline ${status}`} aria-live="polite">
        <StatusMark status={status} />
        <div>
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      </section>
      <Figures>
        <Figure name={t("overview.brokers")} status={overview.brokers.online < overview.brokers.total ? "bad" : "good"} href={brokers}>
          <span>
            <Exact value={overview.brokers.online} />
            <span class="soft"> / {overview.brokers.total}</span>
          </span>
        </Figure>
        <Figure name={t("overview.under_replicated")} status={badIf(overview.under_replicated, "warning")} href={topics}>
          <Count value={overview.under_replicated} />
        </Figure>
        <Figure name={t("overview.offline")} status={badIf(overview.offline, "bad")} href={topics}>
          <Count value={overview.offline} />
        </Figure>
        <Figure name={t("overview.under_min_isr")} status={badIf(overview.under_min_isr, "bad")} href={topics}>
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
          <Throughput overview={overview} />
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

function Throughput({ overview }: { overview: Overview }) {
  const { points } = useStore(live);
  const now = useNow();
  const shape = river(points, now);
  const most = bytes(shape.most, language());
  return (
    <section class="panel overview-throughput">
      <header class="panel-head">
        <h2>{t("overview.throughput")}</h2>
        <span class="soft small">{t("overview.window", { minutes: WINDOW_MS / 60_000 })}</span>
      </header>
      <dl class="rates">
        <div class="rate-in">
          <dt>{t("overview.in")}</dt>
          <dd>
            <Bytes value={overview.bytes_in_per_s} per />
          </dd>
        </div>
        <div class="rate-out">
          <dt>{t("overview.out")}</dt>
          <dd>
            <Bytes value={overview.bytes_out_per_s} per />
          </dd>
        </div>
        <div>
          <dt>{t("overview.messages")}</dt>
          <dd>
            <Count value={overview.messages_in_per_s} per />
          </dd>
        </div>
        <div>
          <dt>{t("overview.requests")}</dt>
          <dd>
            <Count value={overview.requests_per_s} per />
          </dd>
        </div>
      </dl>
      <div class="river">
        <svg viewBox="0 0 1000 200" preserveAspectRatio="none" role="img" aria-label={t("overview.throughput")}>
          {shape.above.map((reach, index) => (
            <g key={index} class="river-in">
              <path class="river-area" d={reach.area} />
              <path class="river-edge" d={reach.edge} />
            </g>
          ))}
          {shape.below.map((reach, index) => (
            <g key={index} class="river-out">
              <path class="river-area" d={reach.area} />
              <path class="river-edge" d={reach.edge} />
            </g>
          ))}
          <path class="river-line" d="M0 100H1000" />
        </svg>
        <span class="river-most">
          {most.number} {most.unit}/s
        </span>
        {points.length < 2 && <span class="river-wait">{t("overview.gathering")}</span>}
      </div>
      <footer class="river-foot small soft">
        <span>{t("overview.ago", { minutes: WINDOW_MS / 60_000 })}</span>
        <span>{t("overview.now")}</span>
      </footer>
    </section>
  );
}

function Alerts({ cluster }: { cluster: Cluster }) {
  const loaded = useApi<Firing>(path`/clusters/${cluster.id}/alerts/firing`, {}, { everyMs: EVERY_MS });
  const firing = loaded.data?.firing ?? [];
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{t("alerts.title")}</h2>
        <a href={build("/clusters/:cluster/alerts", { cluster: cluster.id })}>{t("alerts.all")}</a>
      </header>
      <div class="panel-body">
        {loaded.data === null && <span class="soft">{loaded.error === null ? "\u00a0" : sentence(loaded.error)}</span>}
        {loaded.data !== null && firing.length === 0 && (
          <StatusMark status="good" isQuiet>
            {t("alerts.all_quiet")}
          </StatusMark>
        )}
        <ul>
          {firing.slice(0, ALERTS_MAX).map((alert) => (
            <li key={`${alert.rule} ${alert.target}`} class="row">
              <StatusMark status="bad" />
              <a class="cut push" href={alertHref(cluster.id, alert)}>
                {alert.target === "" ? alert.rule : `${alert.rule}: ${alert.target}`}
              </a>
              <span class="soft small">
                <RelativeTime ms={alert.since_ms} />
              </span>
            </li>
          ))}
        </ul>
        {firing.length > ALERTS_MAX && <span class="soft small">{t("alerts.n_firing", { n: firing.length })}</span>}
      </div>
    </section>
  );
}

function LagTop({ cluster, overview }: { cluster: Cluster; overview: Overview }) {
  const most = Math.max(1, ...overview.lag_top.map((each) => each.lag ?? 0));
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{t("overview.lag")}</h2>
        <a href={build("/clusters/:cluster/groups", { cluster: cluster.id }, { sort: "-lag" })}>{t("overview.all_groups")}</a>
      </header>
      {overview.lag_top.length === 0 ? (
        <p class="panel-body soft">{t("overview.no_lag")}</p>
      ) : (
        <ol class="lag-top">
          {overview.lag_top.map((each) => (
            <li key={`${each.group} ${each.topic}`}>
              <a class="cut" href={build("/clusters/:cluster/groups/:group", { cluster: cluster.id, group: each.group })}>
                {each.group}
              </a>
              <Count value={each.lag} />
              <meter aria-label={t("groups.lag")} min={0} max={most} value={each.lag ?? 0} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Quorum({ overview }: { overview: Overview }) {
  const { quorum } = overview;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{t("overview.quorum")}</h2>
        {quorum !== null && <span class="soft small">{t("overview.epoch", { epoch: String(quorum.epoch) })}</span>}
      </header>
      {quorum === null ? (
        <p class="panel-body soft">{t("overview.no_quorum")}</p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{t("overview.voter")}</th>
              <th scope="col">{t("overview.role")}</th>
              <th scope="col" class="number">
                {t("overview.records_behind")}
              </th>
              <th scope="col" class="number">
                {t("overview.time_behind")}
              </th>
            </tr>
          </thead>
          <tbody>
            {quorum.voters.map((voter) => (
              <tr key={voter.id}>
                <td>{voter.id}</td>
                <td>{voter.id === quorum.leader ? <StatusMark status="good">{t("overview.leader")}</StatusMark> : t("overview.follower")}</td>
                <td class="number">
                  <Count value={voter.lag} />
                </td>
                <td class="number">
                  <Duration ms={voter.ms_behind} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Disk({ overview }: { overview: Overview }) {
  const { used_bytes: used, free_bytes: free } = overview.disk;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{t("overview.disk")}</h2>
      </header>
      <div class="panel-body">
        <dl class="rates">
          <div>
            <dt>{t("overview.disk_used")}</dt>
            <dd>
              <Bytes value={used} />
            </dd>
          </div>
          <div>
            <dt>{t("overview.disk_free")}</dt>
            <dd>{free === null ? <Unknown /> : <Bytes value={free} />}</dd>
          </div>
        </dl>
        {used !== null && free !== null && <meter class="wide" aria-label={t("overview.disk")} min={0} max={used + free} value={used} />}
      </div>
    </section>
  );
}
