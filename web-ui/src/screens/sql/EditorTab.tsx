// The editor above, what came of it below. The text, what was set and what was run stay in this browser.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Cluster } from "../../api/clusters";
import { me, useMay, useMayAsk } from "../../api/me";
import type { SqlSource } from "../../api/sql";
import type { CodeRange } from "../../components/CodeEditor";
import { Icon } from "../../components/Icon";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { useStore } from "../../store";
import { afterRun, loadHistory, loadProperties, loadText, type Ran, saveHistory, saveProperties, saveText } from "./draft";
import { dangerOf } from "./danger";
import { DangerDialog } from "./DangerDialog";
import { actionOf, EditorPane } from "./EditorPane";
import { type ErrorPlace, rangeOf } from "./error_place";
import { HistoryDrawer } from "./HistoryDrawer";
import { Results } from "./Results";
import { type Properties, type Statement, withStatement } from "./statements";
import { useRun } from "./use_run";
import { useWords } from "./use_words";

export interface EditorTabProps {
  cluster: Cluster;
  sources: readonly SqlSource[] | null;
  onChanged(): void;
}

export function EditorTab({ cluster, sources, onChanged }: EditorTabProps) {
  const { query } = usePlace();
  const [text, setText] = useState(() => loadText(cluster.id));
  const [properties, setProperties] = useState<Properties>(() => loadProperties(cluster.id));
  const [history, setHistory] = useState<readonly Ran[]>(() => loadHistory(cluster.id));
  const [wrong, setWrong] = useState<(CodeRange & { message: string }) | null>(null);
  const [goTo, setGoTo] = useState<CodeRange | null>(null);
  const [asked, setAsked] = useState<readonly Statement[] | null>(null);
  const now = useRef(text);
  now.current = text;
  const words = useWords(cluster.id, text, sources);
  const mayAsk = useMayAsk("operator");
  const mayRun = useMay("operator");

  const write = (next: string): void => {
    setText(next);
    saveText(cluster.id, next);
  };
  const add = (sql: string): void => {
    const next = withStatement(now.current, sql);
    write(next.text);
    setWrong(null);
    setGoTo({ from: next.to, to: next.to });
  };
  const choose = (next: Properties): void => {
    setProperties(next);
    saveProperties(cluster.id, next);
  };
  // A link may bring a statement along: it goes into the text, and out of the address.
  const brought = query.get("sql");
  useEffect(() => {
    if (brought === null) return;
    add(brought);
    setQuery({ sql: null }, { replace: true });
  }, [brought]);

  /** Where it is now: the text may have been written on since. */
  const placed = (statement: Statement, place: ErrorPlace): CodeRange | null => {
    const from = now.current.slice(statement.from, statement.to) === statement.text ? statement.from : now.current.indexOf(statement.text);
    return from === -1 ? null : rangeOf(now.current, from, place);
  };
  const run = useRun(cluster.id, {
    onProperties: choose,
    onRan: (statement, isGood) => {
      setHistory((before) => {
        const next = afterRun(before, { sql: statement.text, at_ms: Date.now(), is_good: isGood });
        saveHistory(cluster.id, next);
        return next;
      });
      onChanged();
    },
    onWrong: (statement, place, message) => {
      const at = place === null ? null : placed(statement, place);
      setWrong(at === null ? null : { ...at, message });
    },
  });
  const place = useMemo(() => placed, []);
  const start = (statements: readonly Statement[]): void => {
    setWrong(null);
    run.run(statements, properties);
  };
  return (
    <div class="sql-tab">
      <RoleNote mayAsk={mayAsk} mayRun={mayRun} />
      <EditorPane
        text={text}
        words={words}
        wrong={wrong}
        goTo={goTo}
        properties={properties}
        cluster={cluster}
        mayAsk={mayAsk}
        isWaiting={run.isRunning && run.outcomes.at(-1)?.kind !== "rows"}
        onText={write}
        onProperties={choose}
        onRun={(statements) => (statements.some((each) => dangerOf(each) !== null) ? setAsked(statements) : start(statements))}
        onExplain={(statement) => {
          setWrong(null);
          run.explain(statement, properties);
        }}
        onStop={run.stop}
        onHistory={() => setQuery({ history: true })}
      />
      <Results cluster={cluster} outcomes={run.outcomes} text={text} sources={sources} place={place} onGoTo={setGoTo} onExample={add} mayAsk={mayAsk} />
      {asked !== null && asked[0] !== undefined && (
        <DangerDialog dangers={asked.flatMap((each) => dangerOf(each) ?? [])} action={actionOf(cluster, asked.map((each) => each.text).join("\n"), asked[0], properties)} onClose={() => setAsked(null)} onRun={() => start(asked)} />
      )}
      {query.get("history") === "true" && (
        <HistoryDrawer
          history={history}
          onClose={() => setQuery({ history: null }, { replace: true })}
          onChoose={(sql) => {
            setQuery({ history: null }, { replace: true });
            add(sql);
          }}
          onClear={() => {
            setHistory([]);
            saveHistory(cluster.id, []);
          }}
        />
      )}
    </div>
  );
}

/** Why there is no Run: a page that only lacks a button would look broken. */
function RoleNote({ mayAsk, mayRun }: { mayAsk: boolean; mayRun: boolean }) {
  const who = useStore(me);
  if (mayRun || who === null) return null;
  return (
    <p class="sql-note" role="note">
      <Icon name="lock" />
      {mayAsk ? t("sql.read_only") : t("sql.needs_operator", { role: t(`role.${who.role ?? "viewer"}`) })}
    </p>
  );
}
