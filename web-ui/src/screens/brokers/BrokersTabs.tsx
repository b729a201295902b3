import type { Cluster } from "../../api/clusters";
import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build } from "../../router";

/** The two lists of this place: the brokers, and what moves between them. */
export function BrokersTabs({ cluster, current, moves }: { cluster: Cluster; current: "brokers" | "moves"; moves?: number }) {
  return (
    <Tabs
      label={t("brokers.tabs")}
      current={current}
      tabs={[
        { id: "brokers", title: t("brokers.title"), href: build("/clusters/:cluster/brokers", { cluster: cluster.id }) },
        { id: "moves", title: t("moves.title"), href: build("/clusters/:cluster/moves", { cluster: cluster.id }), ...(moves === undefined ? {} : { extra: moves }) },
      ]}
    />
  );
}
