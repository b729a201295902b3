import type { Cluster } from "../../api/clusters";
import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build } from "../../router";

/** What there is of brokers: they themselves, what is set for all of them, and what moves between them. */
export function BrokersTabs({ cluster, current, moves }: { cluster: Cluster; current: "brokers" | "defaults" | "moves"; moves?: number }) {
  return (
    <Tabs
      label={t("brokers.tabs")}
      current={current}
      tabs={[
        { id: "brokers", title: t("brokers.title"), href: build("/clusters/:cluster/brokers", { cluster: cluster.id }) },
        { id: "defaults", title: t("brokers.defaults"), href: build("/clusters/:cluster/brokers/defaults", { cluster: cluster.id }) },
        { id: "moves", title: t("moves.title"), href: build("/clusters/:cluster/moves", { cluster: cluster.id }), ...(moves === undefined ? {} : { extra: moves }) },
      ]}
    />
  );
}
