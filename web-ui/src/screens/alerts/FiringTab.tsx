import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Alert, Firing } from "../../api/alerts";
import { useApi } from "../../api/use_api";
import { CopyAs } from "../../components/CopyAs";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { RelativeTime } from "../../components/RelativeTime";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { alertCommand } from "./commands";
import { alertHref, HAS_NUMBER, number, ruleWord } from "./kinds";

const EVERY_MS = 5000;

/** What fires now, and below it what has been of late; resolved ones are quiet. */
export function FiringTab({ cluster }: { cluster: Cluster }) {
  const at = path`/clusters/${cluster.id}/alerts/firing`;
  const loaded = useApi<Firing>(at, {}, { everyMs: EVERY_MS });
  const { query } = usePlace();
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const firing = loaded.data?.firing ?? [];
  // One that fires stands in both lists.
  const before = (loaded.data?.recent ?? []).filter((each) => !(each.state === "firing" && firing.some((now) => now.rule === each.rule && now.target === each.target && now.at_ms === each.at_ms)));
  const columns: Column<Alert>[] = [
    {
      id: "state",
      title: t("alerts.state"),
      value: (each) => each.state,
      width: 96,
      priority: 1,
      cell: (each) => (
        <StatusMark status={isNow(each, firing) ? "bad" : "idle"} isQuiet={!isNow(each, firing)}>
          {isNow(each, firing) ? t("alerts.fires") : each.state === "resolved" ? t("alerts.resolved") : t("alerts.fired")}
        </StatusMark>
      ),
    },
    { id: "rule", title: t("alerts.rule"), value: (each) => each.rule, width: 140, isWide: true, priority: 1, cell: (each) => <a href={alertHref(cluster.id, each)} title={each.rule}>{ruleWord(each.rule, each.kind)}</a> },
    { id: "target", title: t("alerts.target"), value: (each) => each.target, width: 140, isWide: true, priority: 3, cell: (each) => <span title={each.target}>{each.target === "" ? cluster.name : each.target}</span> },
    { id: "value", title: t("alerts.value"), value: (each) => (HAS_NUMBER[each.kind] ? each.value : null), width: 88, isNumber: true, priority: 2, cell: (each) => (HAS_NUMBER[each.kind] ? number(each.kind, each.value) : "") },
    { id: "above", title: t("alerts.limit"), value: (each) => (HAS_NUMBER[each.kind] ? each.above : null), width: 88, isNumber: true, priority: 4, cell: (each) => (HAS_NUMBER[each.kind] ? number(each.kind, each.above) : "") },
    { id: "since_ms", title: t("alerts.since"), value: (each) => each.since_ms, width: 112, isNumber: true, priority: 3, cell: (each) => <RelativeTime ms={each.since_ms} /> },
    { id: "at_ms", title: t("alerts.at"), value: (each) => each.at_ms, width: 112, isNumber: true, priority: 2, cell: (each) => <RelativeTime ms={each.at_ms} /> },
    { id: "webhook", title: t("alerts.webhook"), value: (each) => each.webhook, width: 96, priority: 5, cell: (each) => each.webhook ?? "" },
  ];
  return (
    <DataTable
      id="alerts"
      label={t("alerts.firing")}
      columns={columns}
      rows={loaded.data === null ? null : [...firing, ...before]}
      rowKey={(each) => `${each.rule} ${each.target} ${each.state} ${each.at_ms}`}
      rowHref={(each) => alertHref(cluster.id, each)}
      sort={query.get("sort") ?? ""}
      onSort={(sort) => setQuery({ sort }, { replace: true })}
      isSlow={loaded.isSlow}
      isFilled
      empty={<EmptyState title={t("alerts.none")}>{t("alerts.none_why")}</EmptyState>}
    >
      {loaded.data !== null && <StatusMark status={firing.length > 0 ? "bad" : "good"}>{firing.length > 0 ? t("alerts.n_firing", { n: firing.length }) : t("alerts.all_quiet")}</StatusMark>}
      <CopyAs action={{ method: "GET", path: at, command: alertCommand(cluster, "list", "--firing") }} />
    </DataTable>
  );
}

function isNow(alert: Alert, firing: readonly Alert[]): boolean {
  return firing.includes(alert);
}
