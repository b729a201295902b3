// What a version refers to, at its right, and what refers to it, at its left.
import { path } from "../../api/client";
import type { SchemaGraph } from "../../api/schemas";
import { useApi } from "../../api/use_api";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { FlowGraph } from "../../components/FlowGraph";
import { Icon } from "../../components/Icon";
import { Skeleton } from "../../components/Skeleton";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { subjectHref } from "./hrefs";
import type { SubjectTabProps } from "./SchemaTab";
import { VersionSelect } from "./VersionSelect";

export function ReferencesTab({ cluster, subject }: SubjectTabProps) {
  const { query } = usePlace();
  const latest = subject.versions.at(-1) ?? 1;
  const wanted = Number(query.get("version"));
  const version = subject.versions.includes(wanted) ? wanted : latest;
  const loaded = useApi<SchemaGraph>(path`/clusters/${cluster.id}/schemas/${subject.subject}/references`, { version });
  const graph = loaded.data;
  return (
    <div class="schema-room">
      <div class="toolbar">
        <VersionSelect label={t("schema.version")} versions={subject.versions} value={version} onChange={(next) => setQuery({ version: next === latest ? null : next })} />
        {graph !== null && graph.edges.length > 0 && <span class="soft">{t("schema.graph_how")}</span>}
        {graph?.is_cut === true && (
          <span class="row" role="note">
            <Icon name="info" />
            {t("schema.graph_cut", { n: graph.nodes.length })}
          </span>
        )}
      </div>
      {graph === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {graph === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {graph !== null && graph.edges.length === 0 && <EmptyState title={t("schema.no_references")}>{t("schema.no_references_why")}</EmptyState>}
      {graph !== null && graph.edges.length > 0 && (
        <div class="schema-graph">
          <FlowGraph
            label={t("schema.tab.references")}
            nodes={graph.nodes.map((each) => ({
              id: `${each.subject}/${each.version}`,
              name: each.subject,
              kind: each.subject === subject.subject && each.version === version ? "current" : "schema",
              kindName: t("schemas.subject"),
              note: t("schema.n_with_id", { version: String(each.version), id: String(each.id) }),
              href: subjectHref(cluster.id, each.subject, "references", { version: each.version }),
            }))}
            // A name that says no more than the subject does is left out.
            edges={graph.edges.map((each) => ({ from: each.from, to: each.to, weight: 0, ...(each.to.startsWith(`${each.name}/`) ? {} : { note: each.name }) }))}
          />
        </div>
      )}
    </div>
  );
}
