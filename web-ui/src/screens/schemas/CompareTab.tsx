// Two versions beside each other; which ones is in the URL.
import { path } from "../../api/client";
import type { SchemaVersion } from "../../api/schemas";
import { useApi } from "../../api/use_api";
import { DiffView } from "../../components/DiffView";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Skeleton } from "../../components/Skeleton";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { compared } from "./compared";
import type { SubjectTabProps } from "./SchemaTab";
import { languageOf, pretty } from "./schema_text";
import { VersionSelect } from "./VersionSelect";

export function CompareTab({ cluster, subject }: SubjectTabProps) {
  const { query } = usePlace();
  const { from, to } = compared(subject.versions, query.get("from"), query.get("to"));
  const at = (version: number): string => path`/clusters/${cluster.id}/schemas/${subject.subject}/versions/${version}`;
  const left = useApi<SchemaVersion>(at(from));
  const right = useApi<SchemaVersion>(at(to));
  if (subject.versions.length < 2) return <EmptyState title={t("schema.one_version")}>{t("schema.one_version_why")}</EmptyState>;
  const failed = left.error ?? right.error;
  const title = (each: SchemaVersion): string => t("schema.n_with_id", { version: String(each.version), id: String(each.id) });
  return (
    <div class="schema-room">
      <div class="toolbar">
        <VersionSelect label={t("schema.from")} versions={subject.versions} value={from} onChange={(version) => setQuery({ from: version, to })} />
        <button type="button" class="button icon" aria-label={t("schema.swap")} title={t("schema.swap")} onClick={() => setQuery({ from: to, to: from })}>
          <Icon name="transactions" />
        </button>
        <VersionSelect label={t("schema.to")} versions={subject.versions} value={to} onChange={(version) => setQuery({ from, to: version })} />
      </div>
      {left.data !== null && right.data !== null ? (
        <div class="schema-compared">
          <DiffView before={pretty(left.data.schema, left.data.type)} after={pretty(right.data.schema, right.data.type)} beforeTitle={title(left.data)} afterTitle={title(right.data)} isJson={languageOf(right.data.type) === "json"} />
        </div>
      ) : failed !== null ? (
        <ErrorState error={failed} onRetry={left.error !== null ? left.reload : right.reload} />
      ) : (
        <Skeleton isShown={left.isSlow || right.isSlow} />
      )}
    </div>
  );
}
