import { useState } from "preact/hooks";
import { path, send } from "../../api/client";
import type { Group, GroupMember, GroupOffset } from "../../api/groups";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { TypedNameDialog } from "../../components/Dialog";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { Icon } from "../../components/Icon";
import { useFlag } from "../../components/list_state";
import { Menu } from "../../components/Menu";
import { Count, Exact } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { Skeleton } from "../../components/Skeleton";
import { Tabs } from "../../components/Tabs";
import { toast } from "../../components/toasts";
import { command } from "../../format/shell";
import { t } from "../../i18n/text";
import { build, navigate, setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import { bootstrap } from "../bootstrap";
import { type ChartPlan, Charts } from "../metrics/Charts";
import type { ScreenProps } from "../table";
import { GroupState } from "./GroupState";
import "./groups.css";
import { ResetDialog } from "./ResetDialog";

const EVERY_MS = 4000;
const LAG: readonly ChartPlan[] = [{ title: "metrics.lag", unit: "count", series: [{ name: "group_lag", title: "metrics.lag" }] }];

export default function GroupScreen({ cluster, params }: ScreenProps) {
  const id = params["group"] ?? "";
  const loaded = useApi<Group>(cluster === null ? null : path`/clusters/${cluster.id}/groups/${id}`, {}, { everyMs: EVERY_MS });
  const [isResetting, setResetting] = useFlag("reset");
  const [isDeleting, setDeleting] = useState(false);
  const mayReset = useMay("operator");
  const mayDelete = useMay("admin");
  if (cluster === null) return null;
  const group = loaded.data;
  const tab = params["tab"] === "members" || params["tab"] === "history" ? params["tab"] : "offsets";
  const href = (to: string): string => build("/clusters/:cluster/groups/:group/:tab?", { cluster: cluster.id, group: id, tab: to });
  const at = path`/clusters/${cluster.id}/groups/${id}`;
  return (
    <Page
      title={id}
      above={{ title: t("groups.title"), href: build("/clusters/:cluster/groups", { cluster: cluster.id }) }}
      isFilled
      actions={
        group !== null && (
          <>
            {mayReset && (
              <button type="button" class="button" onClick={() => setResetting(true)}>
                <Icon name="undo" />
                <span class="word">{t("group.reset")}</span>
              </button>
            )}
            {mayDelete && <Menu label={t("group.actions")} items={[{ label: t("group.delete"), icon: "trash", isDangerous: true, onSelect: () => setDeleting(true) }]} />}
          </>
        )
      }
      tabs={
        <>
          <GroupFacts group={group} />
          <Tabs
            label={t("group.tabs")}
            current={tab}
            tabs={[
              { id: "offsets", title: t("group.offsets"), href: href("offsets"), ...(group === null ? {} : { extra: group.offsets.length }) },
              { id: "members", title: t("group.members"), href: href("members"), ...(group === null ? {} : { extra: group.members.length }) },
              { id: "history", title: t("metrics.history"), href: href("history") },
            ]}
          />
        </>
      }
    >
      {group === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {group === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {group !== null && tab === "offsets" && <Offsets group={group} clusterId={cluster.id} />}
      {group !== null && tab === "members" && <Members members={group.members} />}
      {group !== null && tab === "history" && (
        <div class="tab-room">
          <Charts clusterId={cluster.id} plans={LAG} labels={{ group: id }} />
        </div>
      )}
      {isResetting && group !== null && mayReset && <ResetDialog cluster={cluster} group={group} onClose={() => setResetting(false)} onDone={loaded.reload} />}
      {isDeleting && group !== null && (
        <TypedNameDialog
          title={t("group.delete")}
          verb={t("action.delete")}
          name={id}
          action={{ method: "DELETE", path: at, command: command("kafka-consumer-groups", "--bootstrap-server", bootstrap(cluster), "--delete", "--group", id) }}
          onClose={() => setDeleting(false)}
          onRun={async () => {
            await send("DELETE", at);
            toast({ text: t("group.deleted", { id }) });
            navigate(build("/clusters/:cluster/groups", { cluster: cluster.id }));
          }}
        >
          <p>{t("group.delete_why")}</p>
        </TypedNameDialog>
      )}
    </Page>
  );
}

function GroupFacts({ group }: { group: Group | null }) {
  return (
    <Facts
      facts={[
        [t("groups.state"), group && <GroupState state={group.state} />],
        [t("groups.type"), group && t(`group.type.${group.type}`)],
        [t("groups.members"), group && <Count value={group.members.length} />],
        [t("groups.lag"), group && <Count value={group.lag} />],
        [t("groups.coordinator"), group && <Exact value={group.coordinator} />],
        [t("groups.protocol"), group && (group.protocol ?? "–")],
      ]}
    />
  );
}

function Offsets({ group, clusterId }: { group: Group; clusterId: string }) {
  const { query } = usePlace();
  const q = query.get("q") ?? "";
  const most = Math.max(1, ...group.offsets.map((each) => each.lag ?? 0));
  const columns: Column<GroupOffset>[] = [
    {
      id: "topic",
      title: t("topic.title"),
      value: (each) => each.topic,
      width: 150,
      isWide: true,
      priority: 1,
      cell: (each) => <a href={build("/clusters/:cluster/topics/:topic", { cluster: clusterId, topic: each.topic })}>{each.topic}</a>,
    },
    { id: "partition", title: t("partition.number"), value: (each) => each.partition, width: 80, isNumber: true, priority: 1 },
    { id: "committed", title: t("group.committed"), value: (each) => each.committed, width: 120, isNumber: true, priority: 3, cell: (each) => <Exact value={each.committed} /> },
    { id: "next_offset", title: t("group.end"), value: (each) => each.next_offset, width: 120, isNumber: true, priority: 4, cell: (each) => <Exact value={each.next_offset} /> },
    { id: "lag", title: t("groups.lag"), value: (each) => each.lag, width: 88, isNumber: true, priority: 1, cell: (each) => <Exact value={each.lag} /> },
    {
      id: "bar",
      title: t("group.share_of_lag"),
      value: (each) => each.lag,
      width: 120,
      priority: 3,
      cell: (each) => (each.lag === null ? null : <meter min={0} max={most} value={each.lag} aria-label={t("groups.lag")} />),
    },
    { id: "member", title: t("group.member"), value: (each) => each.member, width: 220, priority: 4, cell: (each) => <span class="mono soft" title={each.member ?? ""}>{each.member ?? "–"}</span> },
    { id: "metadata", title: t("group.metadata"), value: (each) => each.metadata, width: 120, isHidden: true, priority: 5 },
  ];
  return (
    <DataTable
      id="group-offsets"
      label={t("group.offsets")}
      columns={columns}
      rows={group.offsets.filter((each) => each.topic.toLowerCase().includes(q.toLowerCase()))}
      rowKey={(each) => `${each.topic} ${each.partition}`}
      sort={query.get("sort") ?? "-lag"}
      onSort={(sort) => setQuery({ sort: sort === "-lag" ? null : sort }, { replace: true })}
      isFilled
      empty={<EmptyState title={t("group.no_offsets")}>{t("group.no_offsets_why")}</EmptyState>}
    >
      <SearchBox value={q} label={t("group.search_topics")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
    </DataTable>
  );
}

function Members({ members }: { members: readonly GroupMember[] }) {
  const { query } = usePlace();
  const columns: Column<GroupMember>[] = [
    { id: "client_id", title: t("group.client"), value: (member) => member.client_id, width: 140, isWide: true, priority: 1 },
    { id: "host", title: t("group.host"), value: (member) => member.host, width: 140, priority: 2, cell: (member) => <span class="mono">{member.host}</span> },
    { id: "partitions", title: t("topics.partitions"), value: (member) => member.partitions.length, width: 88, isNumber: true, priority: 1 },
    {
      id: "assignment",
      title: t("group.assignment"),
      value: (member) => member.partitions.map((each) => `${each.topic}-${each.partition}`).join(" "),
      width: 280,
      priority: 3,
      cell: (member) => {
        const text = member.partitions.map((each) => `${each.topic}-${each.partition}`).join(", ");
        return <span title={text}>{text}</span>;
      },
    },
    { id: "instance_id", title: t("group.instance"), value: (member) => member.instance_id, width: 120, priority: 5 },
    { id: "id", title: t("group.member_id"), value: (member) => member.id, width: 220, priority: 4, cell: (member) => <span class="mono soft" title={member.id}>{member.id}</span> },
  ];
  return (
    <DataTable
      id="group-members"
      label={t("group.members")}
      columns={columns}
      rows={members}
      rowKey={(member) => member.id}
      sort={query.get("sort") ?? "client_id"}
      onSort={(sort) => setQuery({ sort: sort === "client_id" ? null : sort }, { replace: true })}
      isFilled
      empty={<EmptyState title={t("group.no_members")}>{t("group.no_members_why")}</EmptyState>}
    />
  );
}
