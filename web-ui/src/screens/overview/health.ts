// What an overview comes to, in one line: the worst first.
import type { Cluster } from "../../api/clusters";
import type { Overview } from "../../api/overview";
import type { Status } from "../../components/StatusMark";
import { t } from "../../i18n/text";

export function health(cluster: Pick<Cluster, "state" | "reason">, overview: Overview, isOld = false): { status: Status; sentences: string[] } {
  const bad: string[] = [];
  const warnings: string[] = [];
  if (cluster.state === "down") bad.push(cluster.reason ?? t("health.down"));
  const away = overview.brokers.total - overview.brokers.online;
  if (away > 0) bad.push(t("health.brokers", { n: away }));
  if (overview.offline) bad.push(t("health.offline", { n: overview.offline }));
  if (overview.under_min_isr) bad.push(t("health.under_min_isr", { n: overview.under_min_isr }));
  if (overview.controller === null) warnings.push(t("health.controller"));
  if (overview.under_replicated) warnings.push(t("health.under_replicated", { n: overview.under_replicated }));
  // What was well a while ago may not be now.
  if (isOld && bad.length === 0) warnings.push(t("health.unseen"));
  const sentences = [...bad, ...warnings];
  if (sentences.length > 0) return { status: bad.length > 0 ? "bad" : "warning", sentences };
  const unknown = [overview.under_replicated, overview.offline, overview.under_min_isr].some((value) => value === null);
  return unknown ? { status: "unknown", sentences: [t("health.unknown")] } : { status: "good", sentences: [t("health.good")] };
}
