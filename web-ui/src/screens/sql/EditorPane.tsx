// The editor and its bar: run, explain, where to begin, what else is set.
import { useId, useState } from "preact/hooks";
import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { CodeEditor, type CodeRange, type CodeWord } from "../../components/CodeEditor";
import { CopyAs, type Action } from "../../components/CopyAs";
import { Icon } from "../../components/Icon";
import { t } from "../../i18n/text";
import { riachoKsql } from "./commands";
import { answersRows, meantStatements, type Properties, type Statement } from "./statements";

const RESET = "auto.offset.reset";

export interface EditorPaneProps {
  text: string;
  words: readonly CodeWord[];
  wrong: (CodeRange & { message: string }) | null;
  goTo: CodeRange | null;
  properties: Properties;
  cluster: Cluster;
  mayAsk: boolean;
  /** For the server; rows that come have their own way to stop. */
  isWaiting: boolean;
  onText(text: string): void;
  onProperties(properties: Properties): void;
  onRun(statements: readonly Statement[]): void;
  onExplain(statement: Statement): void;
  onStop(): void;
  onHistory(): void;
}

export function EditorPane({ text, words, wrong, goTo, properties, cluster, mayAsk, isWaiting, onText, onProperties, onRun, onExplain, onStop, onHistory }: EditorPaneProps) {
  const [selection, setSelection] = useState<CodeRange>({ from: 0, to: 0 });
  const from = useId();
  const meant = meantStatements(text, Math.min(selection.from, text.length), Math.min(selection.to, text.length));
  const first = meant[0];
  const last = meant.at(-1);
  const run = (statements: readonly Statement[]): void => {
    if (mayAsk && statements.length > 0) onRun(statements);
  };
  return (
    <section class="sql-pane" aria-label={t("sql.editor")}>
      <div class="sql-editor">
        <CodeEditor
          label={t("sql.text")}
          language="sql"
          value={text}
          words={words}
          wrong={wrong}
          goTo={goTo}
          meant={first === undefined || last === undefined ? null : { from: first.from, to: last.to }}
          isFilled
          onChange={onText}
          onSelect={setSelection}
          onRun={(value, at) => run(meantStatements(value, at.from, at.to))}
        />
      </div>
      <div class="toolbar sql-bar">
        {mayAsk && !isWaiting && (
          <button type="button" class="button main sql-run" disabled={meant.length === 0} title={t("sql.run_about")} onClick={() => run(meant)}>
            <Icon name="play" />
            {selection.from !== selection.to && meant.length > 1 ? t("sql.run_n", { n: meant.length }) : t("sql.run")}
            <span class="sql-key" aria-hidden="true">
              Ctrl ↵
            </span>
          </button>
        )}
        {mayAsk && isWaiting && (
          <button type="button" class="button sql-run" onClick={onStop}>
            <Icon name="stop" />
            {t("sql.stop")}
          </button>
        )}
        {mayAsk && (
          <button type="button" class="button" disabled={first === undefined || isWaiting} title={t("sql.explain_about")} onClick={() => first !== undefined && onExplain(first)}>
            <Icon name="flow" />
            {t("sql.explain")}
          </button>
        )}
        <label class="sql-label" for={from}>
          {t("sql.read_from")}
        </label>
        <select id={from} class="input sql-from" value={properties[RESET] ?? ""} onChange={(event) => onProperties(chosen(properties, RESET, event.currentTarget.value))}>
          <option value="earliest">{t("sql.earliest")}</option>
          <option value="latest">{t("sql.latest")}</option>
          <option value="">{t("sql.as_server")}</option>
        </select>
        {Object.entries(properties)
          .filter(([name]) => name !== RESET)
          .map(([name, value]) => (
            <span key={name} class="tag sql-property">
              <span class="mono">
                {name}={value}
              </span>
              <button type="button" aria-label={t("sql.unset", { name })} title={t("sql.unset", { name })} onClick={() => onProperties(chosen(properties, name, ""))}>
                <Icon name="close" />
              </button>
            </span>
          ))}
        <span class="push" />
        <button type="button" class="button quiet" onClick={onHistory}>
          <Icon name="clock" />
          {t("sql.history")}
        </button>
        {first !== undefined && <CopyAs action={actionOf(cluster, text.slice(first.from, last?.to), first, properties)} />}
      </div>
    </section>
  );
}

function chosen(properties: Properties, name: string, value: string): Properties {
  const rest = Object.fromEntries(Object.entries(properties).filter(([each]) => each !== name));
  return value === "" ? rest : { ...rest, [name]: value };
}

export function actionOf(cluster: Cluster, sql: string, first: Statement, properties: Properties): Action {
  const at = answersRows(first) ? path`/clusters/${cluster.id}/sql/query` : path`/clusters/${cluster.id}/sql/statements`;
  return { method: "POST", path: at, body: { sql, properties }, command: riachoKsql(cluster, sql, properties) };
}
