import { path } from "../../api/client";
import { type ConnectorRow, shortClass, shortError } from "../../api/connectors";
import { allRows, type Page as PageOf } from "../../api/list";
import { useMay } from "../../api/me";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { PAGE_SIZE, useListState } from "../../components/list_state";
import { SearchBox } from "../../components/SearchBox";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { build, setQuery } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { StateWithTasks, stateWord } from "./ConnectorState";
import "./connectors.css";
import { createCommand } from "./commands";
import type { Draft } from "./draft";
import { messagesHref, ONE, PLUGINS, TopicLinks } from "./links";

const EVERY_MS = 5000;
const FIRST: Draft = { name: "lines", config: { "connector.class": "FileStreamSource", file: "/tmp/lines.txt", topic: "lines" } };

export default function ConnectorsScreen({ cluster }: ScreenProps) {
  const list = useListState("name");
  const may = useMay("admin");
  const at = cluster === null ? null : path`/clusters/${cluster.id}/connectors`;
  const asked = { q: list.q, sort: list.sort };
  const loaded = useApi<PageOf<ConnectorRow>>(at, { ...asked, page: list.page, page_size: PAGE_SIZE }, { everyMs: EVERY_MS });
  if (cluster === null || at === null) return null;
  const href = (connector: string): string => build(ONE, { cluster: cluster.id, connector });
  const create = build(PLUGINS, { cluster: cluster.id });
  return (
    <Page
      title={t("connectors.title")}
      isFilled
      asOfMs={loaded.data?.as_of_ms ?? null}
      staleReason={loaded.data?.stale_reason ?? null}
      actions={
        may && (
          <a class="button main" href={create}>
            <Icon name="plus" />
            <span class="word">{t("connectors.create")}</span>
          </a>
        )
      }
    >
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="connectors"
          label={t("connectors.title")}
          columns={columns(cluster.id, href)}
          rows={loaded.data?.items ?? null}
          rowKey={(row) => row.name}
          rowHref={(row) => href(row.name)}
          sort={list.sort}
          onSort={list.setSort}
          paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<ConnectorRow>(at, asked) }}
          isSlow={loaded.isSlow}
          isFilled
          empty={
            list.q !== "" ? (
              <EmptyState title={t("connectors.none_found")} action={<button type="button" class="button" onClick={() => setQuery({ q: null })}>{t("connectors.show_all")}</button>}>
                {t("connectors.none_found_why")}
              </EmptyState>
            ) : (
              <EmptyState
                title={t("connectors.none")}
                command={createCommand(cluster, FIRST)}
                {...(may ? { action: <a class="button" href={create}>{t("connectors.create")}</a> } : {})}
              >
                {t("connectors.none_how")}
              </EmptyState>
            )
          }
        >
          <SearchBox value={list.q} label={t("connectors.search")} onSearch={list.setSearch} />
        </DataTable>
      )}
    </Page>
  );
}

function columns(cluster: string, href: (name: string) => string): Column<ConnectorRow>[] {
  return [
    { id: "name", title: t("connectors.name"), value: (row) => row.name, width: 148, isWide: true, priority: 1, cell: (row) => <a href={href(row.name)} title={row.name}>{row.name}</a> },
    { id: "state", title: t("connectors.state"), value: (row) => stateWord(row.state), width: 116, priority: 1, cell: (row) => <StateWithTasks state={row.state} failed={row.tasks_failed} running={row.tasks_running} /> },
    { id: "type", title: t("connectors.type"), value: (row) => row.type, width: 72, priority: 4, cell: (row) => <TypeWord type={row.type} /> },
    { id: "class_name", title: t("connectors.class"), value: (row) => row.class, width: 168, priority: 5, cell: (row) => <span title={row.class}>{shortClass(row.class)}</span> },
    { id: "tasks", title: t("connectors.tasks"), value: (row) => `${row.tasks_running}/${row.tasks}`, width: 64, isNumber: true, priority: 2, about: t("connectors.tasks_about"), cell: (row) => `${row.tasks_running} / ${row.tasks}` },
    {
      id: "tasks_failed",
      title: t("connectors.failed"),
      value: (row) => row.tasks_failed,
      width: 68,
      isNumber: true,
      priority: 3,
      cell: (row) => (row.tasks_failed > 0 ? <StatusMark status="bad">{row.tasks_failed}</StatusMark> : <span class="soft">0</span>),
    },
    { id: "problem", title: t("connectors.problem"), value: (row) => row.problem, width: 200, isWide: true, isSortable: false, priority: 4, cell: (row) => (row.problem === null ? null : <span class={row.tasks_failed > 0 || row.state === "FAILED" ? "connector-problem" : "soft"} title={row.problem}>{shortError(row.problem)}</span>) },
    { id: "topics", title: t("connectors.topics"), value: (row) => row.topics.join(" "), width: 160, isSortable: false, priority: 3, cell: (row) => <TopicLinks cluster={cluster} topics={row.topics} /> },
    {
      id: "dead_letters_topic",
      title: t("connector.dead_letters"),
      value: (row) => row.dead_letters_topic,
      width: 140,
      isSortable: false,
      priority: 3,
      cell: (row) => (row.dead_letters_topic === null ? <span class="soft">–</span> : <a href={messagesHref(cluster, row.dead_letters_topic)} title={t("connector.dead_letters_in", { topic: row.dead_letters_topic })}>{row.dead_letters_topic}</a>),
    },
  ];
}

export function TypeWord({ type }: { type: string }) {
  return <>{type === "source" || type === "sink" ? t(`connector.type.${type}`) : type}</>;
}

