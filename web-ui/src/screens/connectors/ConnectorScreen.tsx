import { useState } from "preact/hooks";
import { path } from "../../api/client";
import { type Connector, shortClass } from "../../api/connectors";
import type { Page as PageOf } from "../../api/list";
import { useMay } from "../../api/me";
import type { TopicRow } from "../../api/topics";
import { useApi } from "../../api/use_api";
import { ErrorState } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { Icon } from "../../components/Icon";
import { Menu, type MenuItem } from "../../components/Menu";
import { Exact } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import { PipelineCharts } from "../pipelines/PipelineCharts";
import type { ScreenProps } from "../table";
import { ConfigTab } from "./ConfigTab";
import { type ConnectorAction, ConnectorDialog } from "./connector_dialogs";
import { TypeWord } from "./ConnectorsScreen";
import { StateWithTasks } from "./ConnectorState";
import "./connectors.css";
import { DeadLettersLink, LIST, messagesHref, ONE } from "./links";
import { OffsetsTab } from "./OffsetsTab";
import { TasksTab } from "./TasksTab";
import { TopicsTab } from "./TopicsTab";

const EVERY_MS = 3000;
const DEAD_LETTERS_EVERY_MS = 5000;
const TABS = ["tasks", "config", "offsets", "topics", "history"] as const;

export default function ConnectorScreen({ cluster, params }: ScreenProps) {
  const name = params["connector"] ?? "";
  const loaded = useApi<Connector>(cluster === null ? null : path`/clusters/${cluster.id}/connectors/${name}`, {}, { everyMs: EVERY_MS });
  const dead = loaded.data?.dead_letters_topic ?? null;
  // The topic may come only with the first record that fails, so that asking for it by name would be an error.
  const named = useApi<PageOf<TopicRow>>(cluster === null || dead === null ? null : path`/clusters/${cluster.id}/topics`, { prefix: dead, sort: "name", internal: true, page_size: 1 }, { everyMs: DEAD_LETTERS_EVERY_MS });
  const isMissing = named.data !== null && named.data.items[0]?.name !== dead;
  const [action, setAction] = useState<ConnectorAction | null>(null);
  const mayOperate = useMay("operator");
  const mayChange = useMay("admin");
  if (cluster === null) return null;
  const connector = loaded.data;
  const tab = TABS.find((each) => each === params["tab"]) ?? "tasks";
  const rests = connector?.state === "PAUSED" || connector?.state === "STOPPED";
  const items: MenuItem[] = [
    ...(rests || !mayOperate ? [] : [{ label: t("connector.pause"), icon: "pause" as const, onSelect: () => setAction("pause") }]),
    ...(connector?.state === "STOPPED" || !mayOperate ? [] : [{ label: t("connector.stop"), icon: "stop" as const, onSelect: () => setAction("stop") }]),
    ...(mayChange ? [{ label: t("connector.delete"), icon: "trash" as const, isDangerous: true, onSelect: () => setAction("delete") }] : []),
  ];
  return (
    <Page
      title={name}
      above={{ title: t("connectors.title"), href: build(LIST, { cluster: cluster.id }) }}
      isFilled
      actions={
        connector !== null && (
          <>
            {dead !== null && !isMissing && <DeadLettersLink cluster={cluster.id} topic={dead} />}
            {mayOperate && (
              <button type="button" class="button" onClick={() => setAction(rests ? "resume" : "restart")}>
                <Icon name={rests ? "play" : "refresh"} />
                <span class="word">{t(rests ? "connector.resume" : "connector.restart")}</span>
              </button>
            )}
            {items.length > 0 && <Menu label={t("connector.actions")} items={items} />}
          </>
        )
      }
      tabs={
        <>
          <ConnectorFacts cluster={cluster.id} connector={connector} isMissing={isMissing} />
          <Tabs
            label={t("connector.tabs")}
            current={tab}
            tabs={TABS.map((id) => ({
              id,
              title: t(`connector.tab.${id}`),
              href: build(ONE, { cluster: cluster.id, connector: name, tab: id }),
              ...(id === "tasks" && connector !== null ? { extra: connector.tasks.length } : {}),
            }))}
          />
        </>
      }
    >
      {connector === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {connector === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {connector !== null && tab === "tasks" && <TasksTab cluster={cluster} connector={connector} onChanged={loaded.reload} />}
      {connector !== null && tab === "config" && <ConfigTab key={name} cluster={cluster} connector={connector} onChanged={loaded.reload} />}
      {connector !== null && tab === "offsets" && <OffsetsTab cluster={cluster} connector={connector} onStop={() => setAction("stop")} />}
      {connector !== null && tab === "topics" && <TopicsTab cluster={cluster} connector={connector} />}
      {connector !== null && tab === "history" && (
        <div class="tab-room">
          <PipelineCharts cluster={cluster.id} kind="connector" name={name} />
        </div>
      )}
      {action !== null && connector !== null && <ConnectorDialog cluster={cluster} connector={connector} action={action} onClose={() => setAction(null)} onDone={loaded.reload} />}
    </Page>
  );
}

function ConnectorFacts({ cluster, connector, isMissing }: { cluster: string; connector: Connector | null; isMissing: boolean }) {
  const count = (state: string): number => connector?.tasks.filter((task) => task.state === state).length ?? 0;
  return (
    <Facts
      facts={[
        [t("connectors.state"), connector && <StateWithTasks state={connector.state} failed={count("FAILED")} running={count("RUNNING")} />],
        [t("connectors.type"), connector && <TypeWord type={connector.type} />],
        [t("connectors.class"), connector && <span title={connector.class}>{shortClass(connector.class)}</span>],
        [t("connectors.tasks"), connector && `${count("RUNNING")} / ${connector.tasks.length}`],
        [t("connectors.failed"), connector && <Exact value={count("FAILED")} />],
        [t("connectors.worker"), connector && <span class="mono">{connector.worker === "" ? "–" : connector.worker}</span>],
        [t("connector.dead_letters"), connector && (connector.dead_letters_topic === null ? t("connector.no_dead_letters") : <DeadLetters cluster={cluster} topic={connector.dead_letters_topic} isMissing={isMissing} />)],
      ]}
    />
  );
}

function DeadLetters({ cluster, topic, isMissing }: { cluster: string; topic: string; isMissing: boolean }) {
  if (isMissing) return <>{t("connector.dead_letters_none")}</>;
  return <a href={messagesHref(cluster, topic)}>{topic}</a>;
}
