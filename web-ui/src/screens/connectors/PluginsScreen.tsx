// The first step of a new connector: of which plugin.
import { path } from "../../api/client";
import { type Plugin, shortClass } from "../../api/connectors";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState, NoneFound } from "../../components/EmptyState";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { TypeWord } from "./ConnectorsScreen";
import { CREATE, LIST } from "./links";

export default function PluginsScreen({ cluster }: ScreenProps) {
  const { query } = usePlace();
  const loaded = useApi<Plugin[]>(cluster === null ? null : path`/clusters/${cluster.id}/connector-plugins`);
  if (cluster === null) return null;
  const q = (query.get("q") ?? "").toLowerCase();
  const type = query.get("type");
  const href = (plugin: string): string => build(CREATE, { cluster: cluster.id, plugin });
  const rows = loaded.data?.filter((plugin) => plugin.class.toLowerCase().includes(q) && (type === null || plugin.type === type)) ?? null;
  const columns: Column<Plugin>[] = [
    { id: "name", title: t("plugins.name"), value: (plugin) => shortClass(plugin.class), width: 160, isWide: true, priority: 1, cell: (plugin) => <a href={href(plugin.class)}>{shortClass(plugin.class)}</a> },
    { id: "type", title: t("connectors.type"), value: (plugin) => plugin.type, width: 88, priority: 1, cell: (plugin) => <TypeWord type={plugin.type} /> },
    { id: "class", title: t("connectors.class"), value: (plugin) => plugin.class, width: 240, isWide: true, priority: 3, cell: (plugin) => <span class="mono soft" title={plugin.class}>{plugin.class}</span> },
    { id: "version", title: t("plugins.version"), value: (plugin) => plugin.version, width: 96, priority: 4 },
  ];
  return (
    <Page title={t("plugins.title")} above={{ title: t("connectors.title"), href: build(LIST, { cluster: cluster.id }) }} isFilled>
      {loaded.data === null && loaded.error !== null ? (
        <ErrorState error={loaded.error} onRetry={loaded.reload} />
      ) : (
        <DataTable
          id="connector-plugins"
          label={t("plugins.title")}
          columns={columns}
          rows={rows}
          rowKey={(plugin) => `${plugin.class} ${plugin.version ?? ""}`}
          rowHref={(plugin) => href(plugin.class)}
          sort={query.get("sort") ?? "name"}
          onSort={(sort) => setQuery({ sort: sort === "name" ? null : sort }, { replace: true })}
          isSlow={loaded.isSlow}
          isFilled
          empty={q === "" && type === null ? <EmptyState title={t("plugins.none")}>{t("plugins.none_why")}</EmptyState> : <NoneFound onClear={() => setQuery({ q: null, type: null })} />}
        >
          <SearchBox value={query.get("q") ?? ""} label={t("plugins.search")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
          <select class="input setting-choice" aria-label={t("connectors.type")} value={type ?? ""} onChange={(event) => setQuery({ type: event.currentTarget.value }, { replace: true })}>
            <option value="">{t("plugins.both")}</option>
            <option value="source">{t("connector.type.source")}</option>
            <option value="sink">{t("connector.type.sink")}</option>
          </select>
        </DataTable>
      )}
    </Page>
  );
}
