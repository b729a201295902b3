// What stands beside the figures: alerts, who is behind, the quorum, disks.
import type { Firing } from "../../api/alerts";
import { path, sentence } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Overview } from "../../api/overview";
import { useApi } from "../../api/use_api";
import { CsvButton } from "../../components/CsvButton";
import { Bytes, Count, Duration, Unknown } from "../../components/Quantity";
import { RelativeTime } from "../../components/RelativeTime";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { alertHref, ruleWord } from "../alerts/kinds";
import "./overview.css";

const EVERY_MS = 5000;
const ALERTS_MAX = 5;

/** Where parts could not be looked at, nothing is not the same as none. */
function isKnown(overview: Overview): boolean {
  return overview.stale_reason === null;
}

export function Alerts({ cluster }: { cluster: Cluster }) {
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
                {alert.target === "" ? ruleWord(alert.rule, alert.kind) : `${ruleWord(alert.rule, alert.kind)}: ${alert.target}`}
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

export function LagTop({ cluster, overview }: { cluster: Cluster; overview: Overview }) {
  const most = Math.max(1, ...overview.lag_top.map((each) => each.lag ?? 0));
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{t("overview.lag")}</h2>
        <a href={build("/clusters/:cluster/groups", { cluster: cluster.id }, { sort: "-lag" })}>{t("overview.all_groups")}</a>
      </header>
      {overview.lag_top.length === 0 ? (
        <p class="panel-body soft">{isKnown(overview) ? t("overview.no_lag") : t("overview.not_now")}</p>
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

export function Quorum({ overview }: { overview: Overview }) {
  const { quorum } = overview;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{t("overview.quorum")}</h2>
        {quorum !== null && (
          <span class="row">
            <span class="soft small">{t("overview.epoch", { epoch: String(quorum.epoch) })}</span>
            <CsvButton name="quorum" lines={() => [["voter", "is_leader", "lag", "ms_behind"], ...quorum.voters.map((voter) => [voter.id, voter.id === quorum.leader, voter.lag, voter.ms_behind])]} />
          </span>
        )}
      </header>
      {quorum === null ? (
        <p class="panel-body soft">{isKnown(overview) ? t("overview.no_quorum") : t("overview.not_now")}</p>
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

export function Disk({ overview }: { overview: Overview }) {
  const { used_bytes: used, total_bytes: total, free_bytes: free } = overview.disk;
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
          <div>
            <dt title={t("broker.disk_total_about")}>{t("broker.disk_total")}</dt>
            <dd>
              <Bytes value={total} />
            </dd>
          </div>
        </dl>
        {typeof total === "number" && free !== null && <meter class="wide" aria-label={t("overview.disk")} min={0} max={total} value={total - free} />}
      </div>
    </section>
  );
}
