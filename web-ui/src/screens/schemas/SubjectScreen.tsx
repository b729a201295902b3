import { useState } from "preact/hooks";
import { path } from "../../api/client";
import { useMay } from "../../api/me";
import type { Subject } from "../../api/schemas";
import { useApi } from "../../api/use_api";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { Icon } from "../../components/Icon";
import { useFlag } from "../../components/list_state";
import { Menu } from "../../components/Menu";
import { Exact, Unknown } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { Tabs } from "../../components/Tabs";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { Page } from "../../shell/Page";
import type { ScreenProps } from "../table";
import { CompareTab } from "./CompareTab";
import { DeleteDialog } from "./DeleteDialog";
import { type SubjectTab, subjectHref } from "./hrefs";
import { LevelDialog } from "./LevelDialog";
import { ReferencesTab } from "./ReferencesTab";
import { SchemaDialog } from "./SchemaDialog";
import { SchemaTab } from "./SchemaTab";
import "./schemas.css";
import { VersionsTab } from "./VersionsTab";

const EVERY_MS = 10_000;
const TABS: readonly SubjectTab[] = ["schema", "versions", "diff", "references"];

export default function SubjectScreen({ cluster, params }: ScreenProps) {
  const name = params["subject"] ?? "";
  const loaded = useApi<Subject>(cluster === null ? null : path`/clusters/${cluster.id}/schemas/${name}`, {}, { everyMs: EVERY_MS });
  const [isEvolving, setEvolving] = useFlag("evolve");
  const [isLevel, setLevel] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const may = useMay("admin");
  if (cluster === null) return null;
  const subject = loaded.data;
  const tab = TABS.find((each) => each === params["tab"]) ?? "schema";
  const props = { cluster, subject, onChanged: loaded.reload };
  return (
    <Page
      title={name}
      above={{ title: t("schemas.title"), href: build("/clusters/:cluster/schemas", { cluster: cluster.id }) }}
      isFilled
      actions={
        may &&
        subject !== null && (
          <>
            <button type="button" class="button" onClick={() => setEvolving(true)}>
              <Icon name="plus" />
              <span class="word">{t("schema.new_version")}</span>
            </button>
            <Menu
              label={t("schema.actions")}
              items={[
                { label: t("schema.set_level"), icon: "settings", onSelect: () => setLevel(true) },
                { label: t("schema.delete"), icon: "trash", isDangerous: true, onSelect: () => setDeleting(true) },
              ]}
            />
          </>
        )
      }
      tabs={
        <>
          <SubjectFacts subject={subject} />
          <Tabs
            label={t("schema.tabs")}
            current={tab}
            tabs={TABS.map((each) => ({
              id: each,
              title: t(`schema.tab.${each}`),
              href: subjectHref(cluster.id, name, each),
              ...(each === "versions" && subject !== null ? { extra: subject.versions.length } : {}),
            }))}
          />
        </>
      }
    >
      {subject === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {subject === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {subject !== null && subject.latest === null && <EmptyState title={t("schema.no_versions")}>{t("schema.no_versions_why")}</EmptyState>}
      {subject !== null && subject.latest !== null && (
        <>
          {tab === "schema" && <SchemaTab key={name} {...props} subject={subject} latest={subject.latest} />}
          {tab === "versions" && <VersionsTab key={name} {...props} subject={subject} />}
          {tab === "diff" && <CompareTab key={name} {...props} subject={subject} />}
          {tab === "references" && <ReferencesTab key={name} {...props} subject={subject} />}
        </>
      )}
      {isEvolving && may && subject !== null && (
        <SchemaDialog cluster={cluster} subject={name} latest={subject.latest} versions={subject.versions} onClose={() => setEvolving(false)} onDone={loaded.reload} />
      )}
      {isLevel && subject !== null && <LevelDialog cluster={cluster} subject={subject} onClose={() => setLevel(false)} onDone={loaded.reload} />}
      {isDeleting && subject !== null && <DeleteDialog cluster={cluster} subject={name} version={null} onClose={() => setDeleting(false)} onDone={() => undefined} />}
    </Page>
  );
}

function SubjectFacts({ subject }: { subject: Subject | null }) {
  const level = subject?.compatibility;
  return (
    <Facts
      facts={[
        [t("schemas.type"), subject && (subject.latest?.type ?? <Unknown />)],
        [t("schemas.versions"), subject && <Exact value={subject.versions.length} />],
        [t("schemas.latest"), subject && <Exact value={subject.latest?.version} />],
        [t("schemas.latest_id"), subject && <Exact value={subject.latest?.id} />],
        [
          t("schemas.compatibility"),
          level === undefined ? null : level.level === null ? (
            <Unknown />
          ) : (
            <>
              {level.level} <span class="soft small">{level.own === null ? t("schema.level_of_registry") : t("schema.level_own")}</span>
            </>
          ),
        ],
      ]}
    />
  );
}
