import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Count } from "../../components/Quantity";
import { setQuery, usePlace } from "../../router";

interface Sample {
  id: number;
  name: string;
  value: number | null;
}

const SAMPLES: readonly Sample[] = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row ${id}`, value: id % 7 === 0 ? null : (id * 7919) % 100_000 }));
const COLUMNS: readonly Column<Sample>[] = [
  { id: "name", title: "Name", value: (row) => row.name, width: 120, isWide: true, priority: 1 },
  { id: "id", title: "Id", value: (row) => row.id, width: 80, isNumber: true, priority: 2 },
  { id: "value", title: "Value", value: (row) => row.value, width: 96, isNumber: true, priority: 1, cell: (row) => <Count value={row.value} /> },
  { id: "hidden", title: "Hidden at first", value: (row) => row.id * 2, width: 120, isNumber: true, isHidden: true },
];
const WITH_ACTION: readonly Column<Sample>[] = [
  ...COLUMNS,
  {
    id: "do",
    title: "Actions",
    value: () => null,
    width: 48,
    priority: 1,
    isAction: true,
    cell: (row) => (
      <button type="button" class="button quiet icon" aria-label={`Edit ${row.name}`}>
        <Icon name="edit" />
      </button>
    ),
  },
];
const WHOLE: readonly Column<Sample>[] = Array.from({ length: 12 }, (_, at) => ({ id: `c${at}`, title: `column ${at}`, value: (row) => `${row.name} in ${at}`, width: 120 }));
const noop = (): void => undefined;

export function Tables() {
  const sort = usePlace().query.get("sort") ?? "";
  const props = { columns: COLUMNS, rowKey: (row: Sample) => row.id, empty: <EmptyState title="No rows" /> };
  return (
    <div class="gallery-three">
      <div class="panel gallery-table">
        <DataTable {...props} id="gallery-many" label="Many rows" rows={SAMPLES} sort={sort} onSort={(next) => setQuery({ sort: next }, { replace: true })} isFilled />
      </div>
      <div class="panel gallery-table">
        <DataTable {...props} id="gallery-paged" label="Pages" rows={SAMPLES.slice(0, 5)} paged={{ total: 12_345, page: 2, pageSize: 5, onPage: noop }} isFilled />
      </div>
      <div class="panel gallery-table">
        <DataTable {...props} id="gallery-action" label="Actions" columns={WITH_ACTION} rows={SAMPLES.slice(0, 5)} rowClass={(row) => (row.id === 1 ? "selected" : "")} onRow={noop} isFilled />
      </div>
      <div class="panel gallery-table">
        <DataTable {...props} id="gallery-whole" label="Every column" columns={WHOLE} rows={SAMPLES.slice(0, 20)} isWhole isFilled />
      </div>
      <div class="panel gallery-table">
        <DataTable {...props} id="gallery-waiting" label="Waiting" rows={null} isSlow isFilled />
      </div>
      <div class="panel gallery-table">
        <DataTable {...props} id="gallery-empty" label="Empty" rows={[]} isFilled />
      </div>
    </div>
  );
}
