import { useState } from "preact/hooks";
import { path } from "../../api/client";
import { allRows, type Page as PageOf } from "../../api/list";
import { useMay } from "../../api/me";
import type { TopicRow } from "../../api/topics";
import { useApi } from "../../api/use_api";
import { csvTable, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { PAGE_SIZE, useFlag, useListState } from "../../components/list_state";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { topicColumns } from "./columns";
import { createCommand } from "./create_command";
import { CreateTopicDialog } from "./CreateTopicDialog";
import { type TopicAction, TopicDialog } from "./topic_actions";
import "./topics.css";
import { TopicTree } from "./TopicTree";

const EVERY_MS = 5000;

export default function TopicsScreen({ cluster }: ScreenProps) {
  const list = useListState("name");
  const { query } = usePlace();
  const isTree = query.get("view") === "tree";
  const [isInternal, setInternal] = useFlag("internal");
  const [isUnwell, setUnwell] = useFlag("unwell");
  const [isCreating, setCreating] = useFlag("create");
  const may = useMay("admin");
  const [turn, setTurn] = useState(0);
  const [chosen, setChosen] = useState<{ topic: TopicRow; action: TopicAction } | null>(null);
  const asked = { q: list.q, sort: list.sort, internal: isInternal || null, unwell: isUnwell || null, prefix: query.get("prefix") };
  const loaded = useApi<PageOf<TopicRow>>(
    cluster === null || isTree ? null : path`/clusters/${cluster.id}/topics`,
    { ...asked, page: list.page, page_size: PAGE_SIZE },
    { everyMs: EVERY_MS },
  );
  if (cluster === null) return null;
  const href = (topic: string): string => build("/clusters/:cluster/topics/:topic", { cluster: cluster.id, topic });
  const columns = topicColumns(href, may ? (topic, action) => setChosen({ topic, action }) : null);
  const all = () => allRows<TopicRow>(path`/clusters/${cluster.id}/topics`, isTree ? { ...asked, unwell: null, prefix: null } : asked);
  const isFiltered = list.q !== "" || query.get("prefix") !== null || isUnwell;

  const filters = (
    <>
      <SearchBox value={list.q} label={t("topics.search")} onSearch={list.setSearch} />
      <div class="row" role="group" aria-label={t("topics.view")}>
        <button type="button" class="button icon" aria-pressed={!isTree} aria-label={t("topics.as_list")} title={t("topics.as_list")} onClick={() => setQuery({ view: null })}>
          <Icon name="list" />
        </button>
        <button type="button" class="button icon" aria-pressed={isTree} aria-label={t("topics.as_tree")} title={t("topics.as_tree")} onClick={() => setQuery({ view: "tree", page: null })}>
          <Icon name="tree" />
        </button>
      </div>
      <label class="check">
        <input type="checkbox" checked={isInternal} onChange={(event) => setInternal(event.currentTarget.checked)} />
        {t("topics.show_internal")}
      </label>
      {!isTree && (
        <label class="check">
          <input type="checkbox" checked={isUnwell} onChange={(event) => setUnwell(event.currentTarget.checked)} />
          {t("topics.only_unwell")}
        </label>
      )}
      {query.get("prefix") !== null && (
        <button type="button" class="button" onClick={() => setQuery({ prefix: null })}>
          <span class="mono">{query.get("prefix")}*</span>
          <Icon name="close" />
        </button>
      )}
    </>
  );
  return (
    <Page
      title={t("topics.title")}
      isFilled
      asOfMs={loaded.data?.as_of_ms ?? null}
      staleReason={loaded.data?.stale_reason ?? null}
      actions={
        may && (
          <button type="button" class="button main" data-key="c" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            <span class="word">{t("topics.create")}</span>
          </button>
        )
      }
    >
      {isTree ? (
        <TopicTree cluster={cluster} lines={async () => csvTable(columns, await all())} isInternal={isInternal} q={list.q} href={href} turn={turn}>
          {filters}
        </TopicTree>
      ) : loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="topics"
          label={t("topics.title")}
          columns={columns}
          rows={loaded.data?.items ?? null}
          rowKey={(topic) => topic.name}
          rowHref={(topic) => href(topic.name)}
          sort={list.sort}
          onSort={list.setSort}
          paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: all }}
          isSlow={loaded.isSlow}
          isFilled
          empty={
            isFiltered ? (
              <EmptyState
                title={isUnwell && list.q === "" ? t("topics.none_unwell") : t("topics.none_found")}
                action={
                  <button type="button" class="button" onClick={() => setQuery({ q: null, prefix: null, unwell: null })}>
                    {t("topics.show_all")}
                  </button>
                }
              >
                {isUnwell && list.q === "" ? t("health.good") : t("topics.none_found_why")}
              </EmptyState>
            ) : (
              <EmptyState title={t("topics.none")} command={createCommand(cluster, { name: "orders", partitions: 6, replication: null, config: {} })}>
                {t("topics.none_how")}
              </EmptyState>
            )
          }
        >
          {filters}
        </DataTable>
      )}
      {chosen !== null && <TopicDialog action={chosen.action} cluster={cluster} topic={chosen.topic} onClose={() => setChosen(null)} onDone={loaded.reload} />}
      {isCreating && may && (
        <CreateTopicDialog
          cluster={cluster}
          onClose={() => setCreating(false)}
          onDone={() => {
            loaded.reload();
            setTurn(turn + 1);
          }}
        />
      )}
    </Page>
  );
}
