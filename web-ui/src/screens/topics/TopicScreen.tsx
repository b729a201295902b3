import { useState } from "preact/hooks";
import { path } from "../../api/client";
import { useMay } from "../../api/me";
import type { Topic } from "../../api/topics";
import { useApi } from "../../api/use_api";
import { ErrorState } from "../../components/EmptyState";
import { Menu } from "../../components/Menu";
import { Bytes, Count } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { StatusMark } from "../../components/StatusMark";
import { Facts } from "../../components/Facts";
import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { topicStatus } from "./columns";
import { TOPIC_TABS } from "./tabs";
import { type TopicAction, topicActions, TopicDialog } from "./topic_actions";
import "./topics.css";

const EVERY_MS = 5000;

export default function TopicScreen({ cluster, params }: ScreenProps) {
  const name = params["topic"] ?? "";
  const loaded = useApi<Topic>(cluster === null ? null : path`/clusters/${cluster.id}/topics/${name}`, {}, { everyMs: EVERY_MS });
  const [shown, setShown] = useState<TopicAction | null>(null);
  const may = useMay("admin");
  if (cluster === null) return null;
  const tabs = TOPIC_TABS.filter((tab) => tab.needs === undefined || cluster.has[tab.needs]);
  const current = tabs.find((tab) => tab.id === params["tab"]) ?? tabs[0];
  const topic = loaded.data;
  return (
    <Page
      title={name}
      above={{ title: t("topics.title"), href: build("/clusters/:cluster/topics", { cluster: cluster.id }) }}
      isFilled
      asOfMs={topic?.as_of_ms ?? null}
      staleReason={topic?.stale_reason ?? null}
      actions={
        may &&
        topic !== null && (
          <Menu label={t("topic.actions")} items={topicActions(setShown)} />
        )
      }
      tabs={
        <>
          <TopicFacts topic={topic} />
          <Tabs
            label={t("topic.tabs")}
            current={current?.id ?? ""}
            tabs={tabs.map((tab) => ({
              id: tab.id,
              title: t(tab.title),
              href: build("/clusters/:cluster/topics/:topic/:tab?", { cluster: cluster.id, topic: name, tab: tab.id }),
            }))}
          />
        </>
      }
    >
      {topic === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {topic === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {topic !== null && current !== undefined && <current.component key={`${current.id} ${name}`} cluster={cluster} topic={topic} onChanged={loaded.reload} />}
      {shown !== null && topic !== null && <TopicDialog action={shown} cluster={cluster} topic={topic} onClose={() => setShown(null)} onDone={loaded.reload} />}
    </Page>
  );
}

function TopicFacts({ topic }: { topic: Topic | null }) {
  const state = topic === null ? null : topicStatus(topic);
  return (
    <Facts
      facts={[
        [t("topics.health"), state === null ? null : <StatusMark status={state.status} isQuiet>{state.word}</StatusMark>],
        [t("topics.partitions"), topic && <Count value={topic.partitions} />],
        [t("topics.replication"), topic && <Count value={topic.replication} />],
        [t("topics.messages"), topic && <span title={t("topics.messages_about")}><Count value={topic.messages} /></span>],
        [t("topics.size"), topic && <Bytes value={topic.size_bytes} />],
        [t("topics.in"), topic && <Bytes value={topic.bytes_in_per_s} per />],
        [t("topics.out"), topic && <Bytes value={topic.bytes_out_per_s} per />],
        [t("topics.lag"), topic && <Count value={topic.lag} />],
        [t("topics.cleanup"), topic && (topic.cleanup_policy ?? "–")],
      ]}
    />
  );
}
