import { path } from "../../api/client";
import type { Broker, LogDir } from "../../api/brokers";
import { useApi } from "../../api/use_api";
import { ConfigTable } from "../../components/ConfigTable";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { Bytes, Count, Duration } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { StatusMark } from "../../components/StatusMark";
import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import { alterCommand } from "../alter_command";
import type { ScreenProps } from "../table";
import { BrokerState } from "./BrokerState";

const EVERY_MS = 10_000;
const PATTERN = "/clusters/:cluster/brokers/:broker/:tab?";

export default function BrokerScreen({ cluster, params }: ScreenProps) {
  const id = params["broker"] ?? "";
  const loaded = useApi<Broker>(cluster === null ? null : path`/clusters/${cluster.id}/brokers/${id}`, {}, { everyMs: EVERY_MS });
  if (cluster === null) return null;
  const broker = loaded.data;
  const tab = params["tab"] === "log-dirs" ? "log-dirs" : "config";
  const href = (to: string): string => build(PATTERN, { cluster: cluster.id, broker: id, tab: to });
  return (
    <Page
      title={t("broker.name", { id })}
      above={{ title: t("brokers.title"), href: build("/clusters/:cluster/brokers", { cluster: cluster.id }) }}
      isFilled
      tabs={
        <>
          <BrokerFacts broker={broker} />
          <Tabs
            label={t("broker.tabs")}
            current={tab}
            tabs={[
              { id: "config", title: t("broker.config"), href: href("config") },
              { id: "log-dirs", title: t("broker.log_dirs"), href: href("log-dirs"), ...(broker === null ? {} : { extra: broker.log_dirs.length }) },
            ]}
          />
        </>
      }
    >
      {broker === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {broker === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {broker !== null && tab === "config" && (
        <ConfigTable
          id="broker-config"
          entries={broker.config}
          path={path`/clusters/${cluster.id}/brokers/${id}/config`}
          command={(change) => alterCommand(cluster, "brokers", id, change)}
          onChanged={loaded.reload}
        />
      )}
      {broker !== null && tab === "log-dirs" && <LogDirs dirs={broker.log_dirs} />}
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

function LogDirs({ dirs }: { dirs: readonly LogDir[] }) {
  const { query } = usePlace();
  const columns: Column<LogDir>[] = [
    { id: "path", title: t("log_dir.path"), value: (dir) => dir.path, width: 200, isWide: true, priority: 1, cell: (dir) => <span class="mono">{dir.path}</span> },
    {
      id: "error",
      title: t("broker.state"),
      value: (dir) => dir.error,
      width: 220,
      priority: 2,
      cell: (dir) => (
        <StatusMark status={dir.error === null ? "good" : "bad"} isQuiet>
          {dir.error ?? t("log_dir.good")}
        </StatusMark>
      ),
    },
    { id: "topics", title: t("topics.title"), value: (dir) => dir.topics, width: 88, isNumber: true, priority: 3, cell: (dir) => <Count value={dir.topics} /> },
    { id: "size_bytes", title: t("topics.size"), value: (dir) => dir.size_bytes, width: 104, isNumber: true, priority: 1, cell: (dir) => <Bytes value={dir.size_bytes} /> },
  ];
  return (
    <DataTable
      id="log-dirs"
      label={t("broker.log_dirs")}
      columns={columns}
      rows={dirs}
      rowKey={(dir) => dir.path}
      sort={query.get("sort") ?? "path"}
      onSort={(sort) => setQuery({ sort: sort === "path" ? null : sort }, { replace: true })}
      isFilled
      empty={<EmptyState title={t("log_dir.none")}>{t("log_dir.none_why")}</EmptyState>}
    />
  );
}
