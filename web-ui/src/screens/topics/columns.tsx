// The columns of a list of topics.
import type { TopicRow } from "../../api/topics";
import type { Column } from "../../components/DataTable";
import { Menu } from "../../components/Menu";
import { Bytes, Count, Duration } from "../../components/Quantity";
import { Sparkline } from "../../components/Sparkline";
import { type Status, StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { type TopicAction, topicActions } from "./topic_actions";

export function topicStatus(topic: Pick<TopicRow, "offline" | "under_replicated">): { status: Status; word: string } {
  if (topic.offline === null || topic.under_replicated === null) return { status: "unknown", word: t("value.unknown") };
  if (topic.offline > 0) return { status: "bad", word: t("topics.offline", { n: topic.offline }) };
  if (topic.under_replicated > 0) return { status: "warning", word: t("topics.under_replicated", { n: topic.under_replicated }) };
  return { status: "good", word: t("topics.healthy") };
}

export function topicColumns(href: (topic: string) => string, onAction: ((topic: TopicRow, action: TopicAction) => void) | null): Column<TopicRow>[] {
  return [
    {
      id: "name",
      title: t("topics.name"),
      value: (topic) => topic.name,
      width: 176,
      isWide: true,
      priority: 1,
      cell: (topic) => (
        <span class="topic-name">
          <a class="cut" href={href(topic.name)} title={topic.name}>
            {topic.name}
          </a>
          {topic.is_internal && <span class="tag">{t("topics.internal")}</span>}
        </span>
      ),
    },
    {
      id: "under_replicated",
      title: t("topics.health"),
      value: (topic) => topicStatus(topic).word,
      width: 132,
      priority: 3,
      cell: (topic) => {
        const { status, word } = topicStatus(topic);
        return (
          <StatusMark status={status} isQuiet>
            {word}
          </StatusMark>
        );
      },
    },
    { id: "partitions", title: t("topics.partitions"), value: (topic) => topic.partitions, width: 84, isNumber: true, priority: 3, cell: (topic) => <Count value={topic.partitions} /> },
    { id: "replication", title: t("topics.replication"), value: (topic) => topic.replication, width: 92, isNumber: true, priority: 5, cell: (topic) => <Count value={topic.replication} /> },
    { id: "messages", title: t("topics.messages"), value: (topic) => topic.messages, width: 84, isNumber: true, priority: 4, about: t("topics.messages_about"), cell: (topic) => <Count value={topic.messages} /> },
    { id: "size_bytes", title: t("topics.size"), value: (topic) => topic.size_bytes, width: 88, isNumber: true, priority: 2, cell: (topic) => <Bytes value={topic.size_bytes} /> },
    { id: "bytes_in_per_s", title: t("topics.in"), value: (topic) => topic.bytes_in_per_s, width: 96, isNumber: true, isSortable: false, priority: 3, cell: (topic) => <Bytes value={topic.bytes_in_per_s} per /> },
    { id: "bytes_out_per_s", title: t("topics.out"), value: (topic) => topic.bytes_out_per_s, width: 96, isNumber: true, isSortable: false, priority: 5, cell: (topic) => <Bytes value={topic.bytes_out_per_s} per /> },
    {
      id: "spark",
      title: t("topics.recent"),
      value: (topic) => topic.spark.map((each) => each ?? "").join(" "),
      width: 92,
      isSortable: false,
      priority: 4,
      about: t("topics.recent_about"),
      cell: (topic) => <Sparkline values={topic.spark} label={t("topics.recent_about")} />,
    },
    { id: "groups", title: t("topics.groups"), value: (topic) => topic.groups, width: 68, isNumber: true, priority: 5, cell: (topic) => <Count value={topic.groups} /> },
    { id: "lag", title: t("topics.lag"), value: (topic) => topic.lag, width: 76, isNumber: true, priority: 1, cell: (topic) => <Count value={topic.lag} /> },
    { id: "cleanup_policy", title: t("topics.cleanup"), value: (topic) => topic.cleanup_policy, width: 112, priority: 6 },
    { id: "retention_ms", title: t("topics.retention"), value: (topic) => topic.retention_ms, width: 80, isNumber: true, priority: 6, cell: (topic) => <Duration ms={topic.retention_ms} /> },
    ...(onAction === null
      ? []
      : [
          {
            id: "actions",
            title: t("topics.actions"),
            value: () => null,
            width: 64,
            isAction: true,
            priority: 3,
            cell: (topic: TopicRow) => <Menu label={t("topics.actions_of", { name: topic.name })} items={topicActions((action) => onAction(topic, action))} />,
          },
        ]),
  ];
}
