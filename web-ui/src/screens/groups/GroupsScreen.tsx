import { path } from "../../api/client";
import type { GroupRow } from "../../api/groups";
import { allRows, type Page as PageOf } from "../../api/list";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { PAGE_SIZE, useListState } from "../../components/list_state";
import { Count } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import { bootstrap } from "../bootstrap";
import type { ScreenProps } from "../table";
import { GroupState, stateWord } from "./GroupState";
import "./groups.css";

const EVERY_MS = 5000;
const TYPES = ["consumer", "classic", "share", "streams"] as const;
const STATES = ["Stable", "Empty", "PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling", "Dead"] as const;

export default function GroupsScreen({ cluster }: ScreenProps) {
  const list = useListState("id");
  const { query } = usePlace();
  const type = TYPES.find((each) => each === query.get("type")) ?? null;
  const state = STATES.find((each) => each === query.get("state")) ?? null;
  const asked = { q: list.q, sort: list.sort, type, state };
  const loaded = useApi<PageOf<GroupRow>>(cluster === null ? null : path`/clusters/${cluster.id}/groups`, { ...asked, page: list.page, page_size: PAGE_SIZE }, { everyMs: EVERY_MS });
  if (cluster === null) return null;
  const href = (group: string): string => build("/clusters/:cluster/groups/:group", { cluster: cluster.id, group });
  const columns: Column<GroupRow>[] = [
    { id: "id", title: t("group.id"), value: (group) => group.id, width: 176, isWide: true, priority: 1, cell: (group) => <a href={href(group.id)} title={group.id}>{group.id}</a> },
    { id: "state", title: t("groups.state"), value: (group) => group.state, width: 176, priority: 3, cell: (group) => <GroupState state={group.state} /> },
    { id: "type", title: t("groups.type"), value: (group) => group.type, width: 96, priority: 4, cell: (group) => <span class="tag">{t(`group.type.${group.type}`)}</span> },
    { id: "members", title: t("groups.members"), value: (group) => group.members, width: 88, isNumber: true, priority: 3, cell: (group) => <Count value={group.members} /> },
    { id: "topics", title: t("groups.topics"), value: (group) => group.topics, width: 80, isNumber: true, priority: 4, cell: (group) => <Count value={group.topics} /> },
    { id: "lag", title: t("groups.lag"), value: (group) => group.lag, width: 96, isNumber: true, priority: 1, cell: (group) => <Count value={group.lag} /> },
    { id: "coordinator", title: t("groups.coordinator"), value: (group) => group.coordinator, width: 104, isNumber: true, priority: 5 },
    { id: "protocol", title: t("groups.protocol"), value: (group) => group.protocol, width: 120, priority: 5 },
  ];
  return (
    <Page title={t("groups.title")} isFilled asOfMs={loaded.data?.as_of_ms ?? null} staleReason={loaded.data?.stale_reason ?? null}>
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="groups"
          label={t("groups.title")}
          columns={columns}
          rows={loaded.data?.items ?? null}
          rowKey={(group) => group.id}
          rowHref={(group) => href(group.id)}
          sort={list.sort}
          onSort={list.setSort}
          paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<GroupRow>(path`/clusters/${cluster.id}/groups`, asked) }}
          isSlow={loaded.isSlow}
          isFilled
          empty={
            list.q === "" && type === null && state === null ? (
              <EmptyState title={t("groups.none")} command={`kafka-console-consumer --bootstrap-server ${bootstrap(cluster)} --topic orders --group my-group`}>
                {t("groups.none_how")}
              </EmptyState>
            ) : (
              <EmptyState title={t("groups.none_found")} action={<button type="button" class="button" onClick={() => setQuery({ q: null, type: null, state: null })}>{t("groups.show_all")}</button>}>
                {t("groups.none_found_why")}
              </EmptyState>
            )
          }
        >
          <SearchBox value={list.q} label={t("groups.search")} onSearch={list.setSearch} />
          <select class="input group-filter" aria-label={t("groups.type")} value={type ?? ""} onChange={(event) => setQuery({ type: event.currentTarget.value, page: null }, { replace: true })}>
            <option value="">{t("groups.any_type")}</option>
            {TYPES.map((each) => (
              <option key={each} value={each}>
                {t(`group.type.${each}`)}
              </option>
            ))}
          </select>
          <select class="input group-filter" aria-label={t("groups.state")} value={state ?? ""} onChange={(event) => setQuery({ state: event.currentTarget.value, page: null }, { replace: true })}>
            <option value="">{t("groups.any_state")}</option>
            {STATES.map((each) => (
              <option key={each} value={each}>
                {stateWord(each)}
              </option>
            ))}
          </select>
        </DataTable>
      )}
    </Page>
  );
}
