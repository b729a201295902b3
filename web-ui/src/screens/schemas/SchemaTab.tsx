import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { SchemaVersion, Subject } from "../../api/schemas";
import { useApi } from "../../api/use_api";
import { CodeEditor } from "../../components/CodeEditor";
import { CopyText } from "../../components/CopyAs";
import { ErrorState } from "../../components/EmptyState";
import { Exact } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { subjectHref } from "./hrefs";
import { languageOf, pretty } from "./schema_text";
import { VersionSelect } from "./VersionSelect";

export interface SubjectTabProps {
  cluster: Cluster;
  subject: Subject;
  onChanged(): void;
}

export function SchemaTab({ cluster, subject, latest }: SubjectTabProps & { latest: SchemaVersion }) {
  const { query } = usePlace();
  const wanted = Number(query.get("version"));
  const number = subject.versions.includes(wanted) ? wanted : latest.version;
  const isLatest = number === latest.version;
  const loaded = useApi<SchemaVersion>(isLatest ? null : path`/clusters/${cluster.id}/schemas/${subject.subject}/versions/${number}`);
  const shown = isLatest ? latest : loaded.data;
  const before = subject.versions[subject.versions.indexOf(number) - 1];
  const text = shown === null ? "" : pretty(shown.schema, shown.type);
  return (
    <div class="schema-room">
      <div class="toolbar">
        <VersionSelect label={t("schema.version")} versions={subject.versions} value={number} onChange={(version) => setQuery({ version: version === latest.version ? null : version })} />
        <span class="soft">
          {t("schemas.latest_id")} <Exact value={shown?.id} />
        </span>
        <span class="push" />
        {before !== undefined && (
          <a class="button" href={subjectHref(cluster.id, subject.subject, "diff", { from: before, to: number })}>
            {t("schema.compare_before", { version: String(before) })}
          </a>
        )}
        <CopyText text={text} label={t("schema.copy")} />
      </div>
      {shown !== null && shown.references.length > 0 && (
        <ul class="schema-refers">
          {shown.references.map((each) => (
            <li key={each.name}>
              <span class="soft">{t("schema.refers_to")}</span> <span class="mono">{each.name}</span> <span class="soft">→</span>{" "}
              <a href={subjectHref(cluster.id, each.subject, "schema", { version: each.version })}>{t("schema.at", { subject: each.subject, version: String(each.version) })}</a>
            </li>
          ))}
        </ul>
      )}
      {shown === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {shown === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {shown !== null && (
        <div class="schema-text">
          <CodeEditor label={t("schema.text")} value={text} language={languageOf(shown.type)} isReadOnly />
        </div>
      )}
    </div>
  );
}
