// What each kind of rule looks at, and what a form has to ask for it.
import type { Alert, AlertKind, AlertRule } from "../../api/alerts";
import { count, duration } from "../../format/quantity";
import { language, t } from "../../i18n/text";
import { build } from "../../router";
import { queryHref } from "../sql/places";

/** Kinds that are about a number; the others hold or do not. */
export const HAS_NUMBER: Record<AlertKind, boolean> = { lag: true, under_replicated: true, offline: true, failed_tasks: true, failed_queries: false, disk: true, broker_down: false, cluster_down: false };
/** Kinds of which each thing is counted by itself. */
export const HAS_TARGET: Record<AlertKind, boolean> = { lag: true, under_replicated: false, offline: false, failed_tasks: true, failed_queries: true, disk: true, broker_down: true, cluster_down: false };
const USUAL_ABOVE: Record<AlertKind, number> = { lag: 100_000, under_replicated: 0, offline: 0, failed_tasks: 0, failed_queries: 0, disk: 90, broker_down: 0, cluster_down: 0 };

/** What the console calls the rules that it begins with. */
const GIVEN = {
  offline: "Partitions without a leader",
  under_replicated: "Under-replicated partitions",
  broker_down: "Broker down",
  disk: "Disk almost full",
  failed_tasks: "Failed connector tasks",
  failed_queries: "Failed queries",
  lag: "Group far behind",
} satisfies Partial<Record<AlertKind, string>>;

/** A rule's name as it is shown: one that nobody has given is in the reader's language. Commands and the form have it as it is. */
export function ruleWord(name: string, kind: AlertKind): string {
  return kind !== "cluster_down" && GIVEN[kind] === name ? t(`alerts.given.${kind}`) : name;
}

export function newRule(kind: AlertKind): AlertRule {
  return { name: "", kind, above: USUAL_ABOVE[kind], for_s: 60, target: "", webhook: null, is_on: true };
}

export function number(kind: AlertKind, value: number): string {
  const { number, unit } = count(Math.round(value * 10) / 10, language());
  return kind === "disk" ? `${number} %` : `${number} ${unit}`.trim();
}

/** A rule in one line: when it fires. */
export function condition(rule: AlertRule): string {
  const lasting = rule.for_s === 0 ? "" : ` ${t("alerts.lasting", { time: duration(rule.for_s * 1000, language()) })}`;
  return (HAS_NUMBER[rule.kind] ? t("alerts.above", { number: number(rule.kind, rule.above) }) : t("alerts.holds")) + lasting;
}

/** Where one looks next. */
export function alertHref(cluster: string, alert: Pick<Alert, "kind" | "target">): string {
  if (alert.target !== "") {
    if (alert.kind === "lag") return build("/clusters/:cluster/groups/:group", { cluster, group: alert.target });
    if (alert.kind === "disk" || alert.kind === "broker_down") return build("/clusters/:cluster/brokers/:broker", { cluster, broker: alert.target });
    if (alert.kind === "failed_tasks") return build("/clusters/:cluster/connectors/:connector", { cluster, connector: alert.target });
    if (alert.kind === "failed_queries") return queryHref(cluster, alert.target);
  }
  return build(alert.kind === "cluster_down" ? "/clusters/:cluster/brokers" : "/clusters/:cluster/topics", { cluster });
}
