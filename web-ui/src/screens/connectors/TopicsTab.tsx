import type { Cluster } from "../../api/clusters";
import type { Connector } from "../../api/connectors";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { messagesHref, topicHref } from "./links";

interface Row {
  topic: string;
  use: "reads" | "writes" | "dead_letters";
  isSeen: boolean;
}

/** Those that it has used, and those that its config names. */
export function topicRows(connector: Pick<Connector, "type" | "topics" | "config" | "dead_letters_topic">): Row[] {
  const dead = connector.dead_letters_topic;
  const named = (connector.config["topics"] ?? connector.config["topic"] ?? connector.config["kafka.topic"] ?? "").split(",").map((each) => each.trim());
  const used = connector.topics ?? [];
  const all = [...new Set([...used, ...named])].filter((topic) => topic !== "" && topic !== dead).sort();
  return [
    ...all.map((topic) => ({ topic, use: connector.type === "sink" ? ("reads" as const) : ("writes" as const), isSeen: used.includes(topic) })),
    ...(dead === null ? [] : [{ topic: dead, use: "dead_letters" as const, isSeen: false }]),
  ];
}

export function TopicsTab({ cluster, connector }: { cluster: Cluster; connector: Connector }) {
  const { query } = usePlace();
  const columns: Column<Row>[] = [
    { id: "topic", title: t("topic.title"), value: (row) => row.topic, width: 140, isWide: true, priority: 1, cell: (row) => <a href={topicHref(cluster.id, row.topic)}>{row.topic}</a> },
    { id: "use", title: t("connector.use"), value: (row) => t(`connector.use.${row.use}`), width: 120, priority: 1 },
    { id: "seen", title: t("connector.seen"), value: (row) => (row.use === "dead_letters" || connector.topics === null ? null : row.isSeen ? t("connector.seen_yes") : t("connector.seen_no")), width: 160, priority: 4 },
    {
      id: "messages",
      title: t("topics.messages"),
      value: () => null,
      width: 160,
      isSortable: false,
      priority: 2,
      cell: (row) => (
        <a class="row" href={messagesHref(cluster.id, row.topic)}>
          <Icon name="topics" />
          {t("connector.newest")}
          <span class="unseen">{row.topic}</span>
        </a>
      ),
    },
  ];
  return (
    <DataTable
      id="connector-topics"
      label={t("connector.tab.topics")}
      columns={columns}
      rows={topicRows(connector)}
      rowKey={(row) => `${row.use} ${row.topic}`}
      sort={query.get("sort") ?? ""}
      onSort={(sort) => setQuery({ sort }, { replace: true })}
      isFilled
      empty={<EmptyState title={t("connector.no_topics")}>{t("connector.no_topics_why")}</EmptyState>}
    />
  );
}
