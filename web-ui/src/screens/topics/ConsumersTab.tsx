import { path } from "../../api/client";
import type { TopicConsumer } from "../../api/topics";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Count } from "../../components/Quantity";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { bootstrap } from "../bootstrap";
import { GroupState } from "../groups/GroupState";
import type { TopicTabProps } from "./tabs";

const EVERY_MS = 5000;

export default function ConsumersTab({ cluster, topic }: TopicTabProps) {
  const loaded = useApi<TopicConsumer[]>(path`/clusters/${cluster.id}/topics/${topic.name}/consumers`, {}, { everyMs: EVERY_MS });
  const { query } = usePlace();
  if (loaded.data === null && loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const href = (group: string): string => build("/clusters/:cluster/groups/:group", { cluster: cluster.id, group });
  const columns: Column<TopicConsumer>[] = [
    { id: "group", title: t("group.title"), value: (each) => each.group, width: 160, isWide: true, priority: 1, cell: (each) => <a href={href(each.group)}>{each.group}</a> },
    { id: "state", title: t("groups.state"), value: (each) => each.state, width: 172, priority: 2, cell: (each) => <GroupState state={each.state} /> },
    { id: "members", title: t("groups.members"), value: (each) => each.members, width: 88, isNumber: true, priority: 3, cell: (each) => <Count value={each.members} /> },
    { id: "lag", title: t("groups.lag"), value: (each) => each.lag, width: 96, isNumber: true, priority: 1, cell: (each) => <Count value={each.lag} /> },
  ];
  return (
    <DataTable
      id="topic-consumers"
      label={t("topic.consumers")}
      columns={columns}
      rows={loaded.data}
      rowKey={(each) => each.group}
      rowHref={(each) => href(each.group)}
      sort={query.get("sort") ?? "-lag"}
      onSort={(sort) => setQuery({ sort: sort === "-lag" ? null : sort }, { replace: true })}
      isSlow={loaded.isSlow}
      isFilled
      empty={
        <EmptyState title={t("topic.no_consumers")} command={`kafka-console-consumer --bootstrap-server ${bootstrap(cluster)} --topic ${topic.name} --group my-group`}>
          {t("topic.no_consumers_how")}
        </EmptyState>
      }
    />
  );
}
