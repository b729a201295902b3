// What the server answered to one statement.
import { useState } from "preact/hooks";
import type { SqlEntity } from "../../api/sql";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState } from "../../components/EmptyState";
import { JsonView } from "../../components/JsonView";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { type AnswerRow, answerOf, type Answer, isKnownColumn, warningsOf } from "./answers";
import { queryHref, sourceHref } from "./places";
import { PlanView } from "./PlanView";
import { SourceDetails } from "./SourceDetails";

export function AnswerCard({ clusterId, entity, isFilled }: { clusterId: string; entity: SqlEntity; isFilled: boolean }) {
  const answer = answerOf(entity);
  const warnings = warningsOf(entity);
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="sql-message">
          <StatusMark status="warning">{warning}</StatusMark>
        </p>
      ))}
      <Shown clusterId={clusterId} answer={answer} isFilled={isFilled} />
    </>
  );
}

function Shown({ clusterId, answer, isFilled }: { clusterId: string; answer: Answer; isFilled: boolean }) {
  switch (answer.kind) {
    case "message":
      return (
        <p class="sql-message" role="status">
          <StatusMark status="good">{answer.message}</StatusMark>
          {answer.queryId !== null && <a href={queryHref(clusterId, answer.queryId)}>{t("sql.to_query", { id: answer.queryId })}</a>}
        </p>
      );
    case "list":
      return <List clusterId={clusterId} answer={answer} isFilled={isFilled} />;
    case "source":
      return (
        <div class="sql-room">
          <SourceDetails clusterId={clusterId} name={answer.name} />
        </div>
      );
    case "plan":
      return <PlanView clusterId={clusterId} plan={answer.plan} sources={null} />;
    case "function":
      return (
        <div class="sql-room stack tight">
          <h2>{answer.name}</h2>
          <p>{answer.about}</p>
          <ul class="sql-forms">
            {answer.forms.map((form) => (
              <li key={form.call}>
                <code>{form.call}</code>
                {form.about !== answer.about && <p class="soft small">{form.about}</p>}
              </li>
            ))}
          </ul>
        </div>
      );
    case "other":
      return (
        <div class="sql-room">
          <JsonView text={answer.json} />
        </div>
      );
  }
}

const WIDE: ReadonlySet<string> = new Set(["name", "id", "topic", "value", "statement", "className", "sinks"]);

function List({ clusterId, answer, isFilled }: { clusterId: string; answer: Answer & { kind: "list" }; isFilled: boolean }) {
  const [sort, setSort] = useState("");
  const columns = answer.columns.map((name, at): Column<AnswerRow> => {
    const isNumber = answer.rows.some((row) => typeof row[name] === "number");
    return {
      id: name,
      title: isKnownColumn(name) ? t(`sql.column.${name}`) : name,
      value: (row) => row[name],
      width: WIDE.has(name) ? 160 : 112,
      isWide: WIDE.has(name),
      isNumber,
      priority: at === 0 ? 1 : at + 1,
      cell: (row) => <Value clusterId={clusterId} type={answer.type} column={name} value={row[name]} />,
    };
  });
  return (
    <DataTable
      id={`sql-${answer.type}`}
      label={t("sql.answer")}
      columns={columns}
      rows={answer.rows}
      rowKey={(row) => JSON.stringify(row)}
      sort={sort}
      onSort={setSort}
      isFilled={isFilled}
      empty={<EmptyState title={t("sql.list_none")} />}
    />
  );
}

function Value({ clusterId, type, column, value }: { clusterId: string; type: string; column: string; value: AnswerRow[string] }) {
  if (value === null || value === undefined) return <>–</>;
  if (typeof value === "boolean") return <>{t(value ? "sql.yes" : "sql.no")}</>;
  const text = String(value);
  if (column === "name" && (type === "streams" || type === "tables")) return <a href={sourceHref(clusterId, text)}>{text}</a>;
  if (column === "id" && type === "queries") return <a href={queryHref(clusterId, text)}>{text}</a>;
  return <span title={text}>{text}</span>;
}
