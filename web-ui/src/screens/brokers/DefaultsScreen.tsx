import { path } from "../../api/client";
import type { ConfigEntry } from "../../api/configs";
import { useApi } from "../../api/use_api";
import { ConfigTable } from "../../components/ConfigTable";
import { ErrorState } from "../../components/EmptyState";
import { t } from "../../i18n/text";
import { Page } from "../../shell/Page";
import { alterCommand } from "../alter_command";
import type { ScreenProps } from "../table";
import { BrokersTabs } from "./BrokersTabs";

/** What is set for all brokers at once; a broker's own setting goes before it. */
export default function DefaultsScreen({ cluster }: ScreenProps) {
  const at = cluster === null ? null : path`/clusters/${cluster.id}/broker-defaults`;
  const loaded = useApi<ConfigEntry[]>(at);
  if (cluster === null || at === null) return null;
  return (
    <Page title={t("brokers.title")} isFilled tabs={<BrokersTabs cluster={cluster} current="defaults" />}>
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <ConfigTable
          id="broker-defaults"
          own="DYNAMIC_DEFAULT_BROKER_CONFIG"
          entries={loaded.data}
          isSlow={loaded.isSlow}
          path={at}
          command={(change) => alterCommand(cluster, "brokers", null, change)}
          onChanged={loaded.reload}
        />
      )}
    </Page>
  );
}
