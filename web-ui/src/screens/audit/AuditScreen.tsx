import { type AuditEntry, OUTCOMES } from "../../api/audit";
import { address } from "../../api/client";
import { clusters } from "../../api/clusters";
import { allRows, type Page as PageOf } from "../../api/list";
import { me } from "../../api/me";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState, NoneFound } from "../../components/EmptyState";
import { FilterSelect } from "../../components/FilterSelect";
import { Icon } from "../../components/Icon";
import { PAGE_SIZE, useListState } from "../../components/list_state";
import { RelativeTime } from "../../components/RelativeTime";
import { SearchBox } from "../../components/SearchBox";
import { StatusMark } from "../../components/StatusMark";
import { curl } from "../../format/shell";
import { exactTime } from "../../format/time";
import { language, t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import { useStore } from "../../store";
import { clusterOf, notesOf, OUTCOME_MARKS, whatOf } from "./audit_words";
import { AuditDrawer } from "./AuditDrawer";

const EVERY_MS = 10_000;
const AT = "/audit";
/** The nouns that changes are of, as routes have them. */
const NOUNS = ["acls", "alerts", "broker-defaults", "brokers", "connectors", "groups", "login", "quotas", "reassignments", "schemas", "sql", "topics", "transactions", "users"] as const;

/** Of the console, not of one cluster: logins belong to none. */
export default function AuditScreen() {
  const list = useListState("");
  const { query } = usePlace();
  const all = useStore(clusters) ?? [];
  const asked = { q: list.q, who: query.get("who"), what: query.get("what"), outcome: query.get("outcome"), cluster: query.get("cluster") };
  const loaded = useApi<PageOf<AuditEntry>>(AT, { ...asked, page: list.page, page_size: PAGE_SIZE }, { everyMs: EVERY_MS });
  const isFiltered = Object.values(asked).some((value) => value !== null && value !== "");
  const choose = (name: string) => (value: string) => setQuery({ [name]: value, page: null });
  const opened = loaded.data?.items.find((entry) => entryKey(entry) === query.get("entry")) ?? null;
  return (
    <Page title={t("audit.title")} isFilled>
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="audit"
          label={t("audit.title")}
          columns={columns(all.length > 1)}
          rows={loaded.data?.items ?? null}
          rowKey={entryKey}
          onRow={(entry) => setQuery({ entry: entryKey(entry) })}
          paged={{ total: loaded.data?.total ?? 0, page: list.page, pageSize: PAGE_SIZE, onPage: list.setPage, allRows: () => allRows<AuditEntry>(AT, asked) }}
          isSlow={loaded.isSlow}
          isFilled
          empty={
            isFiltered ? (
              <NoneFound onClear={() => setQuery({ q: null, who: null, what: null, outcome: null, cluster: null })} />
            ) : (
              <EmptyState title={t("audit.none")} command={curl("GET", location.origin + address(AT), undefined, me.get())}>
                {t("audit.none_why")}
              </EmptyState>
            )
          }
        >
          <SearchBox value={list.q} label={t("audit.search")} onSearch={list.setSearch} />
          <FilterSelect label={t("audit.what")} value={asked.what ?? ""} options={[["", t("audit.any_what")], ...NOUNS.map((noun) => [`/${noun}`, t(`audit.noun.${noun}`)] as const)]} onChange={choose("what")} />
          <FilterSelect label={t("audit.outcome")} value={asked.outcome ?? ""} options={[["", t("audit.any_outcome")], ...OUTCOMES.map((outcome) => [outcome, t(OUTCOME_MARKS[outcome].title)] as const)]} onChange={choose("outcome")} />
          {all.length > 1 && <FilterSelect label={t("audit.cluster")} value={asked.cluster ?? ""} options={[["", t("audit.any_cluster")], ...all.map((each) => [each.id, each.name] as const)]} onChange={choose("cluster")} />}
          {asked.who !== null && (
            <button type="button" class="button" title={t("audit.anybody")} onClick={() => setQuery({ who: null, page: null })}>
              <span class="mono">{asked.who}</span>
              <Icon name="close" />
            </button>
          )}
        </DataTable>
      )}
      {opened !== null && <AuditDrawer entry={opened} onClose={() => setQuery({ entry: null })} />}
    </Page>
  );
}

/** Two of one caller in the same millisecond differ by what they did. */
function entryKey(entry: AuditEntry): string {
  return `${entry.at_ms} ${entry.address} ${entry.method} ${whatOf(entry)}`;
}

function columns(hasClusters: boolean): Column<AuditEntry>[] {
  return [
    {
      id: "what",
      title: t("audit.what"),
      value: (entry) => `${entry.method} ${whatOf(entry)}`,
      width: 136,
      isWide: true,
      priority: 1,
      cell: (entry) => (
        <button type="button" class="link mono cut" title={whatOf(entry)} onClick={() => setQuery({ entry: entryKey(entry) })}>
          <span class="soft">{entry.method}</span> {whatOf(entry)}
        </button>
      ),
    },
    { id: "notes", title: t("audit.notes"), value: notesOf, width: 160, isWide: true, priority: 4, cell: (entry) => <span class="soft" title={notesOf(entry)}>{notesOf(entry)}</span> },
    {
      id: "outcome",
      title: t("audit.outcome"),
      value: (entry) => entry.outcome,
      width: 92,
      priority: 2,
      cell: (entry) => (
        <span title={entry.reason ?? ""}>
          <StatusMark status={OUTCOME_MARKS[entry.outcome].status} isQuiet>
            {t(OUTCOME_MARKS[entry.outcome].title)}
          </StatusMark>
        </span>
      ),
    },
    {
      id: "who",
      title: t("audit.who"),
      value: (entry) => entry.who,
      width: 112,
      priority: 2,
      cell: (entry) =>
        entry.who === null ? (
          <span class="soft">{t("audit.nobody")}</span>
        ) : (
          <button type="button" class="link cut" title={t("audit.only_who", { who: entry.who })} onClick={() => setQuery({ who: entry.who, page: null })}>
            {entry.who}
          </button>
        ),
    },
    { id: "role", title: t("audit.role"), value: (entry) => entry.role, width: 80, priority: 5, isHidden: true },
    { id: "address", title: t("audit.address"), value: (entry) => entry.address, width: 120, priority: 4, cell: (entry) => <span class="mono" title={entry.address}>{entry.address}</span> },
    ...(hasClusters ? [{ id: "cluster", title: t("audit.cluster"), value: clusterOf, width: 104, priority: 3, cell: (entry: AuditEntry) => clusterOf(entry) ?? "" }] : []),
    { id: "at_ms", title: t("audit.when"), value: (entry) => exactTime(entry.at_ms, language()), width: 104, isNumber: true, priority: 1, cell: (entry) => <RelativeTime ms={entry.at_ms} /> },
  ];
}
