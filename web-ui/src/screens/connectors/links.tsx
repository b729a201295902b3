// Ways from a connector to its topics.
import { Icon } from "../../components/Icon";
import { t } from "../../i18n/text";
import { build } from "../../router";

export const LIST = "/clusters/:cluster/connectors";
export const ONE = "/clusters/:cluster/connectors/:connector/:tab?";
export const PLUGINS = "/clusters/:cluster/connector-plugins";
export const CREATE = "/clusters/:cluster/connector-plugins/:plugin";

export function topicHref(cluster: string, topic: string): string {
  return build("/clusters/:cluster/topics/:topic", { cluster, topic });
}

/** The message browser of a topic, the newest first. */
export function messagesHref(cluster: string, topic: string): string {
  return build("/clusters/:cluster/topics/:topic/:tab?", { cluster, topic, tab: "messages" });
}

export function TopicLinks({ cluster, topics }: { cluster: string; topics: readonly string[] }) {
  if (topics.length === 0) return <span class="soft">–</span>;
  return (
    <>
      {topics.map((topic, index) => (
        <span key={topic}>
          {index > 0 && ", "}
          <a href={topicHref(cluster, topic)}>{topic}</a>
        </span>
      ))}
    </>
  );
}

export function DeadLettersLink({ cluster, topic }: { cluster: string; topic: string }) {
  return (
    <a class="button" href={messagesHref(cluster, topic)} title={t("connector.dead_letters_in", { topic })}>
      <Icon name="topics" />
      <span class="word">{t("connector.dead_letters")}</span>
    </a>
  );
}
