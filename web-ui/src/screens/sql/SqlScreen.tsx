import { path } from "../../api/client";
import type { SqlQuery, SqlSource } from "../../api/sql";
import { useApi } from "../../api/use_api";
import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { EditorTab } from "./EditorTab";
import { sqlHref, type SqlTab } from "./places";
import { QueriesTab } from "./QueriesTab";
import { SourcesTab } from "./SourcesTab";
import "./sql.css";
import "./things.css";

const EVERY_MS = 4000;

export default function SqlScreen({ cluster, params }: ScreenProps) {
  const at = cluster === null ? null : path`/clusters/${cluster.id}/sql`;
  const queries = useApi<SqlQuery[]>(at && `${at}/queries`, {}, { everyMs: EVERY_MS });
  const sources = useApi<SqlSource[]>(at && `${at}/sources`, {}, { everyMs: EVERY_MS });
  if (cluster === null) return null;
  const tab: SqlTab = params["tab"] === "queries" || params["tab"] === "sources" ? params["tab"] : "editor";
  const href = (to: SqlTab): string => sqlHref(cluster.id, to);
  const reload = (): void => {
    queries.reload();
    sources.reload();
  };
  return (
    <Page
      title={t("sql.title")}
      isFilled
      tabs={
        <Tabs
          label={t("sql.tabs")}
          current={tab}
          tabs={[
            { id: "editor", title: t("sql.editor"), href: href("editor") },
            { id: "queries", title: t("sql.queries"), href: href("queries"), ...(queries.data === null ? {} : { extra: queries.data.length }) },
            { id: "sources", title: t("sql.sources"), href: href("sources"), ...(sources.data === null ? {} : { extra: sources.data.length }) },
          ]}
        />
      }
    >
      {tab === "editor" && <EditorTab key={cluster.id} cluster={cluster} sources={sources.data} onChanged={reload} />}
      {tab === "queries" && <QueriesTab cluster={cluster} loaded={queries} sources={sources.data} />}
      {tab === "sources" && <SourcesTab cluster={cluster} loaded={sources} />}
    </Page>
  );
}
