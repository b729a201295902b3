import type { Group, GroupMember } from "../../api/groups";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState } from "../../components/EmptyState";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { isAsLastSeen } from "./group_rows";

export function MembersTab({ group }: { group: Group }) {
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
      rows={group.members}
      rowKey={(member) => member.id}
      sort={query.get("sort") ?? "client_id"}
      onSort={(sort) => setQuery({ sort: sort === "client_id" ? null : sort }, { replace: true })}
      isFilled
      empty={
        isAsLastSeen(group) ? (
          <EmptyState title={t("group.members_unknown")}>{t("group.members_unknown_why")}</EmptyState>
        ) : (
          <EmptyState title={t("group.no_members")}>{t("group.no_members_why")}</EmptyState>
        )
      }
    />
  );
}
