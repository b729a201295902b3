// Where a group stands in each partition, and how far that is from the end.
import { useState } from "preact/hooks";
import type { Cluster } from "../../api/clusters";
import type { Group, GroupOffset } from "../../api/groups";
import { useMay } from "../../api/me";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, NoneFound } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Exact } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { ForgetDialog } from "./ForgetDialog";
import { offsetRows, type OffsetRow } from "./group_rows";

export function OffsetsTab({ cluster, group, onChanged }: { cluster: Cluster; group: Group; onChanged(): void }) {
  const { query } = usePlace();
  const q = query.get("q") ?? "";
  const may = useMay("admin");
  const [forgotten, setForgotten] = useState<GroupOffset | null>(null);
  const isShare = group.type === "share";
  const all = offsetRows(group);
  const most = Math.max(1, ...all.map((each) => each.lag ?? 0));
  const columns: Column<OffsetRow>[] = [
    {
      id: "topic",
      title: t("topic.title"),
      value: (each) => each.topic,
      width: 150,
      isWide: true,
      priority: 1,
      cell: (each) => <a href={build("/clusters/:cluster/topics/:topic", { cluster: cluster.id, topic: each.topic })}>{each.topic}</a>,
    },
    { id: "partition", title: t("partition.number"), value: (each) => each.partition, width: 80, isNumber: true, priority: 1, cell: (each) => <Exact value={each.partition} /> },
    { id: "committed", title: t(isShare ? "group.start" : "group.committed"), about: t(isShare ? "group.start_about" : "group.committed_about"), value: (each) => each.committed, width: 120, isNumber: true, priority: 3, cell: (each) => <Exact value={each.committed} /> },
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
    ...(may
      ? [
          {
            id: "forget",
            title: t("forget.short"),
            value: () => null,
            width: 64,
            priority: 4,
            isAction: true,
            cell: (each: OffsetRow) => {
              const { partition } = each;
              return each.committed === null || partition === null ? null : (
                <button type="button" class="button quiet icon" aria-label={t("forget.of", { name: `${each.topic}-${partition}` })} title={t("forget.title")} onClick={() => setForgotten({ ...each, partition })}>
                  <Icon name="trash" />
                </button>
              );
            },
          },
        ]
      : []),
  ];
  return (
    <>
      <DataTable
        id="group-offsets"
        label={t("group.offsets")}
        columns={columns}
        rows={all.filter((each) => each.topic.toLowerCase().includes(q.toLowerCase()))}
        rowKey={(each) => `${each.topic} ${each.partition ?? ""}`}
        sort={query.get("sort") ?? "-lag"}
        onSort={(sort) => setQuery({ sort: sort === "-lag" ? null : sort }, { replace: true })}
        isFilled
        empty={q === "" ? <EmptyState title={t("group.no_offsets")}>{t("group.no_offsets_why")}</EmptyState> : <NoneFound onClear={() => setQuery({ q: null }, { replace: true })} />}
      >
        <SearchBox value={q} label={t("group.search_topics")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
      </DataTable>
      {forgotten !== null && <ForgetDialog cluster={cluster} group={group} offset={forgotten} onClose={() => setForgotten(null)} onDone={onChanged} />}
    </>
  );
}
