// One stream or table: its columns, its topic, who reads and writes it, how it was made.
import type { ComponentChildren } from "preact";
import { path } from "../../api/client";
import type { SqlField, SqlSourcePage } from "../../api/sql";
import { useApi } from "../../api/use_api";
import { CopyText } from "../../components/CopyAs";
import { CsvButton } from "../../components/CsvButton";
import { ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Skeleton } from "../../components/Skeleton";
import { t } from "../../i18n/text";
import { build } from "../../router";
import { editorHref, queryHref } from "./places";
import { identifier } from "./statements";

export function selectOf(page: SqlSourcePage): string {
  const columns = page.fields.map((field) => identifier(field.name)).join(", ");
  return `SELECT ${columns === "" ? "*" : columns}\nFROM ${identifier(page.name)}\nEMIT CHANGES;`;
}

export function SourceDetails({ clusterId, name }: { clusterId: string; name: string }) {
  const loaded = useApi<SqlSourcePage>(path`/clusters/${clusterId}/sql/sources/${name}`);
  const page = loaded.data;
  if (page === null) return loaded.error === null ? <Skeleton isShown={loaded.isSlow} /> : <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  return (
    <div class="stack">
      <dl class="sql-facts">
        <Fact name={t("sql.kind")}>{page.kind === "table" ? t("sql.table") : t("sql.stream")}</Fact>
        <Fact name={t("sql.column.topic")}>
          <a href={build("/clusters/:cluster/topics/:topic", { cluster: clusterId, topic: page.topic })}>{page.topic}</a>
        </Fact>
        <Fact name={t("sql.read_by")}>
          <Queries clusterId={clusterId} ids={page.read_by} />
        </Fact>
        <Fact name={t("sql.written_by")}>
          <Queries clusterId={clusterId} ids={page.written_by} />
        </Fact>
      </dl>
      <div>
        <a class="button" href={editorHref(clusterId, selectOf(page))}>
          <Icon name="sql" />
          {t("sql.select_in_editor")}
        </a>
      </div>
      <Columns name={page.name} fields={page.fields} />
      {page.statement !== "" && <StatementText title={t("sql.column.statement")} sql={page.statement} />}
    </div>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function StatementText({ title, sql }: { title: string; sql: string }) {
  return (
    <section class="sql-plan-text">
      <header class="row">
        <h3>{title}</h3>
        <CopyText text={sql} />
      </header>
      <pre tabIndex={0}>{sql}</pre>
    </section>
  );
}

function Queries({ clusterId, ids }: { clusterId: string; ids: readonly string[] }) {
  if (ids.length === 0) return <span class="soft">{t("sql.no_query")}</span>;
  return ids.map((id) => (
    <a key={id} class="sql-link" href={queryHref(clusterId, id)}>
      {id}
    </a>
  ));
}

function Columns({ name, fields }: { name: string; fields: readonly SqlField[] }) {
  return (
    <section>
      <header class="row">
        <h3>{t("sql.columns")}</h3>
        <span class="push" />
        <CsvButton name={name} lines={() => [["name", "type", "is_key"], ...fields.map((field) => [field.name, field.type, field.is_key])]} />
      </header>
      <div class="sql-columns">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{t("sql.column.name")}</th>
              <th scope="col">{t("sql.column.type")}</th>
              <th scope="col">{t("sql.key")}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.name}>
                <td class="mono">{field.name}</td>
                <td class="mono">{field.type}</td>
                <td>{field.is_key ? <span class="tag accent">{t("sql.key")}</span> : ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
