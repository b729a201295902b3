// Rows of a query as they come, with what can be done about it: hold, stop, look at one, save.
import { useMemo, useRef, useState } from "preact/hooks";
import type { SqlColumn } from "../../api/sql";
import { type Column, DataTable } from "../../components/DataTable";
import { Dialog } from "../../components/Dialog";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { JsonView } from "../../components/JsonView";
import { Count, Duration } from "../../components/Quantity";
import { type Status, StatusMark } from "../../components/StatusMark";
import { type Key, t, useLanguage } from "../../i18n/text";
import { useStore } from "../../store";
import type { SqlRow } from "./row_buffer";
import type { RowRun, RowsShown, RowState } from "./row_run";

const MARKS: Record<RowState, [Status, Key]> = {
  running: ["good", "sql.state.running"],
  done: ["good", "sql.state.done"],
  stopped: ["idle", "sql.state.stopped"],
  lost: ["bad", "sql.state.lost"],
  refused: ["bad", "sql.state.refused"],
};
const NUMBERS = /^(INTEGER|INT|BIGINT|DOUBLE|DECIMAL)/;
const PREVIEW_LENGTH = 400;

export function RowsResult({ run }: { run: RowRun }) {
  const shown = useStore(run.shown);
  const language = useLanguage();
  const [open, setOpen] = useState<SqlRow | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [isPaused, setPaused] = useState(false);
  const hold = (isHeld: boolean): void => {
    setPaused(isHeld);
    if (!isHeld) box.current?.querySelector(".table-box")?.scrollTo(0, 0);
    run.hold(isHeld);
  };
  const columns = useMemo(() => columnsOf(shown.columns ?? [], run.isPrint), [shown.columns, run, language]);
  return (
    <div
      ref={box}
      class="sql-rows"
      onScrollCapture={(event) => {
        // New rows come in at the top: who has scrolled away reads on undisturbed.
        if (run.isTail && event.target instanceof Element && event.target.matches(".table-box")) run.hold(isPaused || event.target.scrollTop > 0);
      }}
    >
      <DataTable<SqlRow>
        id="sql-rows"
        label={t("sql.rows")}
        columns={columns}
        rows={shown.columns === null && shown.state === "running" ? null : shown.rows}
        rowKey={(row) => row.number}
        onRow={setOpen}
        isSlow
        isFilled
        isWhole
        empty={<Nothing shown={shown} isTail={run.isTail} />}
      >
        <RowsBar run={run} shown={shown} onHold={hold} />
      </DataTable>
      {open !== null && <RowDrawer row={open} columns={shown.columns ?? []} isPrint={run.isPrint} onClose={() => setOpen(null)} />}
    </div>
  );
}

function RowsBar({ run, shown, onHold }: { run: RowRun; shown: RowsShown; onHold(isHeld: boolean): void }) {
  const isRunning = shown.state === "running";
  const [status, word] = shown.isHeld ? (["idle", "sql.state.held"] as const) : MARKS[shown.state];
  return (
    <div class="sql-rows-bar">
      <span role="status">
        <StatusMark status={status} isQuiet={status === "good"}>
          {t(word)}
        </StatusMark>
      </span>
      <span class="soft small sql-figures">
        <span>{t("table.rows", { n: shown.count })}</span>
        {run.isTail && isRunning && (
          <span>
            <Count value={shown.ratePerS === null ? null : Math.round(shown.ratePerS * 10) / 10} /> {t("sql.per_s")}
          </span>
        )}
        {!isRunning && (
          <span>
            <Duration ms={Math.round(shown.elapsedMs)} />
          </span>
        )}
        {shown.dropped > 0 && <span>{t(run.isTail ? "sql.dropped_oldest" : "sql.dropped_rest", { n: shown.dropped })}</span>}
      </span>
      {isRunning && (
        <>
          <button type="button" class="button quiet" onClick={() => run.stop()}>
            <Icon name="stop" />
            {t("sql.stop")}
          </button>
          <button type="button" class="button quiet" aria-pressed={shown.isHeld} onClick={() => onHold(!shown.isHeld)}>
            <Icon name={shown.isHeld ? "play" : "pause"} />
            {t(shown.isHeld ? "sql.go_on" : "sql.hold")}
          </button>
        </>
      )}
      {shown.isHeld && shown.waiting > 0 && <span class="soft small">{t("sql.waiting", { n: shown.waiting })}</span>}
      {shown.problem !== null && <span class="sql-problem">{shown.problem}</span>}
    </div>
  );
}

function Nothing({ shown, isTail }: { shown: RowsShown; isTail: boolean }) {
  if (shown.state === "running") return <EmptyState title={t("sql.none_yet")}>{t("sql.none_yet_why")}</EmptyState>;
  if (shown.state === "lost") return <EmptyState title={t("sql.state.lost")}>{t("sql.lost_why")}</EmptyState>;
  if (shown.state === "refused") return <EmptyState title={t("sql.refused")} />;
  return <EmptyState title={t("sql.none")}>{isTail ? t("sql.none_tail") : t("sql.none_pull")}</EmptyState>;
}

function columnsOf(columns: readonly SqlColumn[], isPrint: boolean): Column<SqlRow>[] {
  if (isPrint) return [{ id: "line", title: t("sql.line"), value: (row) => row.cells[0], width: 480, isWide: true, priority: 1, cell: (row) => <span class="mono">{String(row.cells[0] ?? "").slice(0, PREVIEW_LENGTH)}</span> }];
  return columns.map(({ name, type }, at) => {
    const isNumber = NUMBERS.test(type);
    return {
      // Two columns may have one name.
      id: columns.findIndex((each) => each.name === name) === at ? name : `${name} ${at + 1}`,
      title: name,
      about: `${name} ${type}`,
      value: (row) => row.cells[at],
      width: Math.max(isNumber ? 96 : 144, 24 + name.length * 8),
      isWide: !isNumber,
      isNumber,
      priority: 1,
      cell: (row) => <Cell value={row.cells[at]} />,
    };
  });
}

/** As the server tells it: nothing is rounded. */
function Cell({ value }: { value: SqlRow["cells"][number] }) {
  if (value === null || value === undefined) return <span class="soft sql-null">null</span>;
  return <span class="mono">{String(value).slice(0, PREVIEW_LENGTH)}</span>;
}

function RowDrawer({ row, columns, isPrint, onClose }: { row: SqlRow; columns: readonly SqlColumn[]; isPrint: boolean; onClose(): void }) {
  return (
    <Dialog title={t("sql.row", { n: row.number })} isDrawer onClose={onClose}>
      <dl class="sql-fields">
        {columns.map(({ name, type }, at) => (
          <div key={at}>
            <dt>
              {isPrint ? t("sql.line") : name} {!isPrint && <span class="soft mono">{type}</span>}
            </dt>
            <dd>
              <Whole value={row.cells[at]} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function Whole({ value }: { value: SqlRow["cells"][number] }) {
  if (value === null || value === undefined) return <span class="soft sql-null">null</span>;
  const text = String(value);
  return /^[[{]/.test(text) ? <JsonView text={text} /> : <pre>{text}</pre>;
}
