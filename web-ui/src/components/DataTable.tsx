// The table of every list: fixed columns, so that nothing jumps; rows out of sight are not drawn; sort, columns, CSV.
import { Component, type ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { AllRows } from "../api/list";
import type { CsvValue } from "../format/csv";
import { exact } from "../format/quantity";
import { language, t } from "../i18n/text";
import { keep, kept } from "../kept";
import { navigate } from "../router";
import { CsvButton, type CsvLines } from "./CsvButton";
import "./data_table.css";
import { Icon } from "./Icon";
import { Menu } from "./Menu";
import { fitting, inSight, nextSort, parseSort, sorted, stepTop } from "./table_rows";
import { toast } from "./toasts";

export interface Column<Row> {
  id: string;
  title: string;
  /** What it holds, for sorting and CSV. */
  value(row: Row): CsvValue;
  cell?(row: Row): ComponentChildren;
  width: number;
  /** Takes what room is left, and shares it with others that do, by their widths; `width` is the least then. */
  isWide?: boolean;
  isNumber?: boolean;
  isSortable?: boolean;
  priority?: number;
  /** Not shown until it is asked for. */
  isHidden?: boolean;
  about?: string;
  /** Buttons: it always has its place, is read out but not titled, and is no part of a file. */
  isAction?: boolean;
}

export interface DataTableProps<Row> {
  /** Names the kept choice of columns and the CSV file. */
  id: string;
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | null;
  rowKey(row: Row): string | number;
  rowHref?(row: Row): string;
  onRow?(row: Row): void;
  rowClass?(row: Row): string;
  sort?: string;
  onSort?(sort: string): void;
  /** The server has sorted and cut the list. */
  paged?: { total: number; page: number; pageSize: number; onPage(page: number): void; allRows?(): Promise<AllRows<Row>> };
  empty: ComponentChildren;
  isSlow?: boolean;
  /** Scrolls by itself in the room that is left; else it is as high as its rows. */
  isFilled?: boolean;
  /** Every column keeps its width, and the table scrolls sideways: for rows whose columns are not ours to leave out. */
  isWhole?: boolean;
  /** Search and filters. */
  children?: ComponentChildren;
}

const VIRTUAL_FROM = 120;
const SKELETON_ROWS = 8;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, paged, sort = "" } = props;
  const box = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState(() => hiddenColumns(props.id, columns));
  const view = useView(box, rows?.length ?? 0);
  const chosen = useMemo(() => columns.filter((column, index) => index === 0 || column.isAction || !hidden.has(column.id)), [columns, hidden]);
  const shown = useMemo(() => (view.width === 0 || props.isWhole ? chosen : fitting(chosen, view.width)), [chosen, view.width, props.isWhole]);
  const latest = useRef(props);
  latest.current = props;
  const order = parseSort(sort);
  const ordered = useMemo(() => {
    const by = paged === undefined ? columns.find((column) => column.id === order?.column) : undefined;
    return rows === null || by === undefined ? rows : sorted(rows, by.value, order?.isDescending ?? false);
  }, [rows, sort, paged === undefined, columns]);
  const isVirtual = (ordered?.length ?? 0) > VIRTUAL_FROM && props.isFilled === true;
  const range = isVirtual ? inSight(ordered?.length ?? 0, view.rowHeight, view.scrollTop, view.height) : { start: 0, end: ordered?.length ?? 0 };

  const toggle = (id: string): void => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
    keep(`columns.${props.id}`, JSON.stringify([...next]));
  };

  return (
    <div class={`table${props.isFilled ? " filled" : ""}`}>
      <div class="toolbar">
        {props.children}
        <span class="push" />
        {ordered !== null && (
          <span class="soft small table-count">{t("table.rows", { n: paged?.total ?? ordered.length })}</span>
        )}
        <Menu
          label={t("table.columns")}
          icon="columns"
          items={columns.slice(1).filter((column) => !column.isAction).map((column) => ({ label: column.title, isChecked: !hidden.has(column.id), onSelect: () => toggle(column.id) }))}
        />
        <CsvButton name={props.id} isDisabled={ordered === null || ordered.length === 0} lines={() => csvLines(props, chosen, ordered ?? [])} />
      </div>
      <div ref={box} class="table-box" onScroll={view.onScroll} onKeyDown={moveByRow} tabIndex={props.isFilled ? 0 : -1} role="region" aria-label={props.label}>
        <table style={props.isWhole ? { "min-width": `${shown.reduce((sum, column) => sum + column.width, 0)}px` } : {}} aria-label={props.label} aria-rowcount={(paged?.total ?? ordered?.length ?? 0) + 1}>
          <colgroup>
            {shown.map((column) => (
              <col key={column.id} style={widthOf(column, shown, view.width)} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {shown.map((column) => (
                <th key={column.id} scope="col" class={column.isNumber ? "number" : ""} {...sortState(column.id, order)} {...(column.about === undefined ? {} : { title: column.about })}>
                  {column.isAction ? (
                    <span class="unseen">{column.title}</span>
                  ) : props.onSort !== undefined && column.isSortable !== false ? (
                    <button type="button" onClick={() => props.onSort?.(nextSort(sort, column.id, column.isNumber ?? false))}>
                      <span class="cut">{column.title}</span>
                      <span class="sort-mark" aria-hidden="true">
                        {order?.column === column.id ? (order.isDescending ? "↓" : "↑") : ""}
                      </span>
                    </button>
                  ) : (
                    <span class="cut">{column.title}</span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ordered === null && skeletonRows(shown.length, props.isSlow ?? false)}
            {ordered !== null && range.start > 0 && <Space height={range.start * view.rowHeight} columns={shown.length} />}
            {ordered?.slice(range.start, range.end).map((row, index) => (
              <TableRow<Row>
                key={props.rowKey(row)}
                row={row}
                index={range.start + index + 2}
                name={`${props.rowHref !== undefined || props.onRow !== undefined ? "opens" : ""} ${props.rowClass?.(row) ?? ""}`}
                columns={shown}
                table={latest}
              />
            ))}
            {ordered !== null && range.end < ordered.length && <Space height={(ordered.length - range.end) * view.rowHeight} columns={shown.length} />}
          </tbody>
        </table>
        {ordered !== null && ordered.length === 0 && props.empty}
      </div>
      {paged !== undefined && paged.total > paged.pageSize && <Pager {...paged} />}
    </div>
  );
}

interface TableRowProps<Row> {
  row: Row;
  index: number;
  name: string;
  columns: readonly Column<Row>[];
  /** What a click is for, as it was said last. */
  table: { current: DataTableProps<Row> };
}

/** Drawn anew where something of it has changed: while a long table scrolls, most of the rows in sight stay. */
class TableRow<Row> extends Component<TableRowProps<Row>> {
  override shouldComponentUpdate(next: TableRowProps<Row>): boolean {
    const { row, index, name, columns } = this.props;
    return next.row !== row || next.index !== index || next.name !== name || next.columns !== columns;
  }

  override render({ row, index, name, columns, table }: TableRowProps<Row>) {
    return (
      <tr aria-rowindex={index} class={name} onClick={(event) => open(event, table.current, row)}>
        {columns.map((column) => (
          <td key={column.id} class={column.isNumber ? "number" : ""}>
            {column.cell === undefined ? text(column.value(row)) : column.cell(row)}
          </td>
        ))}
      </tr>
    );
  }
}

function widthOf<Row>(column: Column<Row>, shown: readonly Column<Row>[], room: number): { width?: string } {
  if (!column.isWide) return { width: `${column.width}px` };
  const wide = shown.filter((each) => each.isWide);
  if (wide.length === 1 || room === 0) return {};
  const left = room - shown.reduce((sum, each) => sum + (each.isWide ? 0 : each.width), 0);
  return { width: `${Math.max(1, Math.floor((left * column.width) / wide.reduce((sum, each) => sum + each.width, 0)))}px` };
}

function text(value: CsvValue): string {
  return value === null || value === undefined ? "–" : typeof value === "number" ? exact(value, language()) : String(value);
}

function sortState(id: string, order: ReturnType<typeof parseSort>) {
  return order?.column === id ? { "aria-sort": order.isDescending ? ("descending" as const) : ("ascending" as const) } : {};
}

function Space({ height, columns }: { height: number; columns: number }) {
  return (
    <tr class="space" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

function skeletonRows(columns: number, isShown: boolean) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    <tr key={row} class={isShown ? "waiting" : "waiting hidden"} aria-hidden="true">
      {Array.from({ length: columns }, (_, index) => (
        <td key={index}>
          <span class="wait-bar" />
        </td>
      ))}
    </tr>
  ));
}

function Pager({ total, page, pageSize, onPage }: { total: number; page: number; pageSize: number; onPage(page: number): void }) {
  const last = Math.max(1, Math.ceil(total / pageSize));
  const first = (page - 1) * pageSize + 1;
  return (
    <nav class="pager" aria-label={t("table.pages")}>
      <span class="soft small">{t("table.range", { first, last: Math.min(total, first + pageSize - 1), total })}</span>
      <button type="button" class="button quiet icon" aria-label={t("table.before")} disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <Icon name="left" />
      </button>
      <span class="small">{t("table.page", { page, last })}</span>
      <button type="button" class="button quiet icon" aria-label={t("table.after")} disabled={page >= last} onClick={() => onPage(page + 1)}>
        <Icon name="right" />
      </button>
    </nav>
  );
}

function useView(box: { current: HTMLDivElement | null }, total: number) {
  const [view, setView] = useState({ width: 0, height: 800, scrollTop: 0, rowHeight: 24 });
  const frame = useRef(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => {
      const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue("--row")) || 24;
      setView((before) => {
        const next = { width: element.clientWidth, height: element.clientHeight, scrollTop: stepTop(element.scrollTop, rowHeight), rowHeight };
        return next.width === before.width && next.height === before.height && next.rowHeight === before.rowHeight ? before : next;
      });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame.current);
    };
  }, []);
  const onScroll = (): void => {
    if (total <= VIRTUAL_FROM) return;
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const element = box.current;
      if (element === null) return;
      setView((before) => {
        const scrollTop = stepTop(element.scrollTop, before.rowHeight);
        return scrollTop === before.scrollTop ? before : { ...before, scrollTop };
      });
    });
  };
  return { ...view, onScroll };
}

function hiddenColumns<Row>(id: string, columns: readonly Column<Row>[]): Set<string> {
  try {
    const chosen: unknown = JSON.parse(kept(`columns.${id}`) ?? "null");
    if (Array.isArray(chosen)) return new Set(chosen.filter((each): each is string => typeof each === "string"));
  } catch {
    // Kept by another version: as if nothing were.
  }
  return new Set(columns.filter((column) => column.isHidden).map((column) => column.id));
}

/** A click anywhere in the row opens it, unless it was for something inside or marked a text. */
function open<Row>(event: MouseEvent, props: DataTableProps<Row>, row: Row): void {
  if (event.defaultPrevented || (event.target instanceof Element && event.target.closest("a, button, input, label, [popover]") !== null)) return;
  if (getSelection()?.toString() !== "") return;
  if (props.rowHref !== undefined) navigate(props.rowHref(row));
  else props.onRow?.(row);
}

function moveByRow(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const from = event.target instanceof Element ? event.target.closest("tbody tr") : null;
  if (step === 0 || from === null) return;
  const to = step === 1 ? from.nextElementSibling : from.previousElementSibling;
  const next = to?.querySelector<HTMLElement>("a, button, input");
  if (next === null || next === undefined) return;
  event.preventDefault();
  next.focus();
}

async function csvLines<Row>(props: DataTableProps<Row>, shown: readonly Column<Row>[], rows: readonly Row[]): Promise<CsvLines> {
  return csvTable(shown, props.paged?.allRows === undefined ? { rows, total: rows.length } : await props.paged.allRows());
}

/** A list as a file has it. One that ends before the list does says so. */
export function csvTable<Row>(columns: readonly Pick<Column<Row>, "id" | "value" | "isAction">[], { rows, total }: AllRows<Row>): CsvLines {
  if (rows.length < total) toast({ text: t("table.csv_cut", { n: rows.length, total }), status: "warning" });
  const written = columns.filter((column) => !column.isAction);
  return [written.map((column) => column.id), ...rows.map((row) => written.map((column) => column.value(row)))];
}
