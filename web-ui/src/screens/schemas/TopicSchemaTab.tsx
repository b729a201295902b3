// The subjects that a topic's keys and values go by, with their latest schemas.
import { path } from "../../api/client";
import { useMay } from "../../api/me";
import type { Subject, SubjectRow } from "../../api/schemas";
import { useApi } from "../../api/use_api";
import { CodeEditor } from "../../components/CodeEditor";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Exact, Unknown } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { t } from "../../i18n/text";
import type { TopicTabProps } from "../topics/tabs";
import { firstCommand } from "./commands";
import { newSubjectHref, subjectHref } from "./hrefs";
import { languageOf, pretty } from "./schema_text";
import "./schemas.css";

const EVERY_MS = 10_000;
const SIDES = ["key", "value"] as const;

export default function TopicSchemaTab({ cluster, topic }: TopicTabProps) {
  const loaded = useApi<SubjectRow[]>(path`/clusters/${cluster.id}/topics/${topic.name}/schemas`, {}, { everyMs: EVERY_MS });
  const may = useMay("admin");
  if (loaded.data === null) return loaded.error === null ? <Skeleton isShown={loaded.isSlow} /> : <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const found = loaded.data;
  if (found.length === 0) {
    return (
      <EmptyState
        title={t("schema.topic_none")}
        command={firstCommand(cluster, topic.name)}
        action={may && <NewLink clusterId={cluster.id} subject={`${topic.name}-value`} />}
      >
        {t("schema.topic_none_how")}
      </EmptyState>
    );
  }
  return (
    <div class="topic-schemas">
      {SIDES.map((side) => {
        const subject = `${topic.name}-${side}`;
        const row = found.find((each) => each.subject === subject);
        return (
          <section key={side} class="panel" aria-label={t(`schema.of_${side}`)}>
            <div class="panel-head">
              <h2>{t(`schema.of_${side}`)}</h2>
              {row !== undefined && (
                <a class="cut" href={subjectHref(cluster.id, subject)}>
                  {subject}
                </a>
              )}
            </div>
            <div class="panel-body stack tight">
              {row === undefined ? (
                <>
                  <p class="soft">{t("schema.side_none", { subject })}</p>
                  {may && (
                    <div>
                      <NewLink clusterId={cluster.id} subject={subject} />
                    </div>
                  )}
                </>
              ) : (
                <LatestSchema clusterId={cluster.id} row={row} label={t(`schema.of_${side}`)} />
              )}
            </div>
          </section>
        );
      })}
    </div>
  );
}

function NewLink({ clusterId, subject }: { clusterId: string; subject: string }) {
  return (
    <a class="button" href={newSubjectHref(clusterId, subject)}>
      <Icon name="plus" />
      {t("schemas.create")}
    </a>
  );
}

function LatestSchema({ clusterId, row, label }: { clusterId: string; row: SubjectRow; label: string }) {
  const loaded = useApi<Subject>(path`/clusters/${clusterId}/schemas/${row.subject}`);
  const latest = loaded.data?.latest ?? null;
  return (
    <>
      <p class="row wrap soft">
        {row.type === null ? <Unknown /> : <span class="tag">{row.type}</span>}
        <span>
          {t("schema.version")} <Exact value={row.latest_version} />
        </span>
        <span>
          {t("schemas.latest_id")} <Exact value={row.latest_id} />
        </span>
        <span class="mono">{row.compatibility ?? "–"}</span>
      </p>
      {latest === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {latest === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {latest !== null && <CodeEditor label={label} value={pretty(latest.schema, latest.type)} language={languageOf(latest.type)} isReadOnly lines={1} />}
    </>
  );
}
