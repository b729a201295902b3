import { path } from "../../api/client";
import type { Broker } from "../../api/brokers";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { ConfigTable } from "../../components/ConfigTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { Icon } from "../../components/Icon";
import { useFlag } from "../../components/list_state";
import { Bytes, Count, Duration } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import { alterCommand } from "../alter_command";
import { type ChartPlan, Charts } from "../metrics/Charts";
import { MoveDialog } from "../moves/MoveDialog";
import type { ScreenProps } from "../table";
import { BrokerState } from "./BrokerState";
import "./brokers.css";
import { LogDirs } from "./LogDirs";
import { ReplicasTab } from "./ReplicasTab";

const EVERY_MS = 5000;
const PATTERN = "/clusters/:cluster/brokers/:broker/:tab?";
const TABS = ["replicas", "log-dirs", "config", "metrics"] as const;
const PLANS: readonly ChartPlan[] = [
  { title: "metrics.bytes", unit: "bytes", isPer: true, series: [{ name: "broker_bytes_in_per_s", title: "metrics.in" }, { name: "broker_bytes_out_per_s", title: "metrics.out" }] },
  { title: "metrics.requests", unit: "count", isPer: true, series: [{ name: "broker_requests_per_s", title: "metrics.requests" }] },
  { title: "metrics.disk", unit: "bytes", series: [{ name: "broker_disk_used_bytes", title: "overview.disk_used" }] },
];

export default function BrokerScreen({ cluster, params }: ScreenProps) {
  const id = params["broker"] ?? "";
  const loaded = useApi<Broker>(cluster === null ? null : path`/clusters/${cluster.id}/brokers/${id}`, {}, { everyMs: EVERY_MS });
  const [isDraining, setDraining] = useFlag("drain");
  const may = useMay("admin");
  if (cluster === null) return null;
  const broker = loaded.data;
  const tab = TABS.find((each) => each === params["tab"]) ?? "replicas";
  const href = (to: string): string => build(PATTERN, { cluster: cluster.id, broker: id, tab: to });
  return (
    <Page
      title={t("broker.name", { id })}
      above={{ title: t("brokers.title"), href: build("/clusters/:cluster/brokers", { cluster: cluster.id }) }}
      isFilled
      asOfMs={broker?.as_of_ms ?? null}
      staleReason={broker?.stale_reason ?? null}
      actions={
        may &&
        broker !== null && (
          <button type="button" class="button" data-key="d" onClick={() => setDraining(true)}>
            <Icon name="transactions" />
            <span class="word">{t("moves.drain")}</span>
          </button>
        )
      }
      tabs={
        <>
          <BrokerFacts broker={broker} />
          <Tabs
            label={t("broker.tabs")}
            current={tab}
            tabs={[
              { id: "replicas", title: t("broker.replicas"), href: href("replicas"), ...(broker === null || broker.replicas === null ? {} : { extra: broker.replicas }) },
              { id: "log-dirs", title: t("broker.log_dirs"), href: href("log-dirs"), ...(broker === null || broker.details_missing !== null ? {} : { extra: broker.log_dirs.length }) },
              { id: "config", title: t("broker.config"), href: href("config") },
              { id: "metrics", title: t("metrics.title"), href: href("metrics") },
            ]}
          />
        </>
      }
    >
      {broker === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {broker === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {broker !== null && broker.details_missing !== null && (tab === "config" || tab === "log-dirs") && (
        <EmptyState title={broker.details_missing} action={<a href={href("replicas")}>{t("broker.replicas")}</a>}>
          {t("broker.away")}
        </EmptyState>
      )}
      {broker !== null && tab === "replicas" && <ReplicasTab cluster={cluster} broker={id} />}
      {broker !== null && broker.details_missing === null && tab === "config" && (
        <ConfigTable
          id="broker-config"
          own="DYNAMIC_BROKER_CONFIG"
          entries={broker.config}
          path={path`/clusters/${cluster.id}/brokers/${id}/config`}
          command={(change) => alterCommand(cluster, "brokers", id, change)}
          onChanged={loaded.reload}
        />
      )}
      {broker !== null && broker.details_missing === null && tab === "log-dirs" && <LogDirs dirs={broker.log_dirs} />}
      {broker !== null && tab === "metrics" && (
        <div class="tab-room">
          <Charts clusterId={cluster.id} plans={PLANS} labels={{ broker: id }} />
        </div>
      )}
      {isDraining && broker !== null && may && <MoveDialog cluster={cluster} broker={broker.id} onClose={() => setDraining(false)} onDone={loaded.reload} />}
    </Page>
  );
}

function BrokerFacts({ broker }: { broker: Broker | null }) {
  return (
    <Facts
      facts={[
        [t("broker.state"), broker && <BrokerState broker={broker} />],
        [t("broker.address"), broker && <span class="mono">{`${broker.host}:${broker.port}`}</span>],
        [t("broker.rack"), broker && (broker.rack ?? "–")],
        [t("broker.leaders"), broker && <Count value={broker.leaders} />],
        [t("broker.replicas"), broker && <Count value={broker.replicas} />],
        [t("broker.in_sync"), broker && <Count value={broker.in_sync} />],
        [t("broker.disk_used"), broker && <Bytes value={broker.disk_used_bytes} />],
        [t("broker.disk_free"), broker && <Bytes value={broker.disk_free_bytes} />],
        [t("broker.uptime"), broker && <Duration ms={broker.uptime_s === null ? null : broker.uptime_s * 1000} />],
      ]}
    />
  );
}
