// Every component in every state, on one page: to be looked at, and to be walked by tests.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Chart } from "../../components/Chart";
import { CodeEditor } from "../../components/CodeEditor";
import { Combobox } from "../../components/Combobox";
import { CopyAs, CopyText } from "../../components/CopyAs";
import { CsvButton } from "../../components/CsvButton";
import { type Column, DataTable } from "../../components/DataTable";
import { ActionDialog, Dialog, TypedNameDialog } from "../../components/Dialog";
import { DiffView } from "../../components/DiffView";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { FilterSelect } from "../../components/FilterSelect";
import { Figure, Figures } from "../../components/Figure";
import { FlowGraph } from "../../components/FlowGraph";
import { HexView } from "../../components/HexView";
import { Icon, ICONS } from "../../components/Icon";
import { JsonView } from "../../components/JsonView";
import { Menu } from "../../components/Menu";
import { Bytes, Count, Duration, Exact } from "../../components/Quantity";
import { RelativeTime } from "../../components/RelativeTime";
import { SearchBox } from "../../components/SearchBox";
import { Skeleton } from "../../components/Skeleton";
import { Sparkline } from "../../components/Sparkline";
import { type Status, StatusMark } from "../../components/StatusMark";
import { Tabs } from "../../components/Tabs";
import { ToastCard } from "../../components/Toasts";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import "./components.css";

interface Sample {
  id: number;
  name: string;
  value: number | null;
}

const OPENED_MS = Date.now();
const STATUSES: readonly Status[] = ["good", "warning", "bad", "unknown", "idle"];
const SPARK = [3, 4, 6, 5, 7, 9, 8, null, null, 6, 7, 9, 12, 11, 10, 13, 14, 12];
const JSON_TEXT = '{"order": 9007199254740993, "paid": true, "note": null, "items": [{"sku": "brook-1", "count": 2, "price": 12.50}, {"sku": "brook-2", "count": 1, "price": 3.0}], "buyer": {"name": "Ana <b>", "city": "Belo Horizonte"}}';
const BEFORE = '{\n  "type": "record",\n  "name": "Order",\n  "fields": [\n    {"name": "id", "type": "long"},\n    {"name": "note", "type": "string"}\n  ]\n}';
const AFTER = '{\n  "type": "record",\n  "name": "Order",\n  "fields": [\n    {"name": "id", "type": "long"},\n    {"name": "note", "type": ["null", "string"], "default": null},\n    {"name": "paid", "type": "boolean", "default": false}\n  ]\n}';
const SAMPLES: readonly Sample[] = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row ${id}`, value: id % 7 === 0 ? null : (id * 7919) % 100_000 }));
const COLUMNS: readonly Column<Sample>[] = [
  { id: "name", title: "Name", value: (row) => row.name, width: 120, isWide: true, priority: 1 },
  { id: "id", title: "Id", value: (row) => row.id, width: 80, isNumber: true, priority: 2 },
  { id: "value", title: "Value", value: (row) => row.value, width: 96, isNumber: true, priority: 1, cell: (row) => <Count value={row.value} /> },
  { id: "hidden", title: "Hidden at first", value: (row) => row.id * 2, width: 120, isNumber: true, isHidden: true },
];
const ACTION = { method: "POST" as const, path: "/clusters/c/topics", body: { name: "orders" }, command: "kafka-topics --create --topic orders" };
const noop = (): void => undefined;

export default function ComponentsScreen() {
  return (
    <Page title={t("components.title")}>
      <div class="gallery">
        <Part name="Button">
          <Buttons />
        </Part>
        <Part name="Fields">
          <Fields />
        </Part>
        <Part name="StatusMark">
          <div class="row wrap">
            {STATUSES.map((status) => (
              <StatusMark key={status} status={status}>
                {status}
              </StatusMark>
            ))}
            <StatusMark status="good" isQuiet>
              quiet
            </StatusMark>
          </div>
        </Part>
        <Part name="Quantity, RelativeTime">
          <div class="row wrap gallery-wide">
            <Count value={0} />
            <Count value={9999} />
            <Count value={12_345_678} />
            <Count value={null} />
            <Count value={1234.5} per />
            <Bytes value={0} />
            <Bytes value={1536} />
            <Bytes value={3.2e12} per />
            <Exact value={9_007_199_254} />
            <Duration ms={604_800_000} />
            <Duration ms={250} />
            <Duration ms={-1} />
            <RelativeTime ms={OPENED_MS} />
            <RelativeTime ms={OPENED_MS - 400_000_000} />
            <RelativeTime ms={null} />
          </div>
        </Part>
        <Part name="Figure">
          <Figures>
            <Figure name="Good" status="good">
              <Count value={3} />
            </Figure>
            <Figure name="Warning" status="warning" note="of 2,301">
              <Count value={9} />
            </Figure>
            <Figure name="Bad" status="bad" href="/components">
              <Count value={1} />
            </Figure>
            <Figure name="Unknown" status="unknown">
              <Count value={null} />
            </Figure>
            <Figure name="Plain">
              <Bytes value={5.4e9} />
            </Figure>
          </Figures>
        </Part>
        <Part name="Facts, Tabs">
          <div class="panel gallery-clip">
            <Facts
              facts={[
                ["Known", "stable"],
                ["Number", <Count key="n" value={143_000} />],
                ["To come", null],
              ]}
            />
            <TabsSample />
          </div>
        </Part>
        <Part name="Menu, CopyAs">
          <div class="row">
            <Menu
              label="Actions"
              items={[
                { label: "Plain", icon: "edit", onSelect: noop },
                { label: "Checked", isChecked: true, onSelect: noop },
                { label: "Disabled", isDisabled: true, onSelect: noop },
                { label: "Dangerous", icon: "trash", isDangerous: true, onSelect: noop },
              ]}
            />
            <CopyAs action={ACTION} />
            <CopyText text="riacho up" />
          </div>
        </Part>
        <Part name="Dialog, Drawer, TypedNameDialog">
          <Dialogs />
        </Part>
        <Part name="Toast">
          <Toasts />
        </Part>
        <Part name="Sparkline">
          <div class="row">
            <Sparkline values={SPARK} label="with a gap" />
            <Sparkline values={[1, 1, 1, 1]} label="flat" />
            <Sparkline values={[0, 0, 0]} label="nothing" />
            <Sparkline values={[null, 4, null]} label="one point" />
            <Sparkline values={[]} label="empty" />
          </div>
        </Part>
        <Part name="Chart">
          <Charts />
        </Part>
        <Part name="DataTable">
          <Tables />
        </Part>
        <Part name="CsvButton">
          <div class="row">
            <CsvButton name="gallery" lines={() => [["name"], ["=1+1"]]} />
            <CsvButton name="gallery" isDisabled lines={() => []} />
          </div>
        </Part>
        <Part name="JsonView">
          <div class="stack">
            <JsonView text={JSON_TEXT} />
            <JsonView text="no JSON <script>alert(1)</script>" />
          </div>
        </Part>
        <Part name="HexView">
          <HexView bytes={Uint8Array.from({ length: 70 }, (_, index) => (index * 37) % 256)} />
        </Part>
        <Part name="DiffView">
          <div class="stack">
            <DiffView before={BEFORE} after={AFTER} beforeTitle="Version 1" afterTitle="Version 2" />
            <DiffView before={BEFORE} after={BEFORE} beforeTitle="Version 1" afterTitle="Version 1" />
          </div>
        </Part>
        <Part name="CodeEditor">
          <Editors />
        </Part>
        <Part name="FlowGraph">
          <FlowGraph
            label={t("flow.label")}
            nodes={[
              { id: "p1", kind: "producer", name: "checkout", note: "48 MiB/s" },
              { id: "p2", kind: "producer", name: "mobile" },
              { id: "t1", kind: "topic", name: "orders.created", href: "/components" },
              { id: "t2", kind: "topic", name: "a topic with quite a long name indeed" },
              { id: "g1", kind: "group", name: "billing-service", note: "lag 1,725" },
              { id: "c1", kind: "connector", name: "warehouse-sink" },
            ]}
            edges={[
              { from: "p1", to: "t1", weight: 1, note: "48 MiB/s" },
              { from: "p2", to: "t1", weight: 0.2 },
              { from: "p2", to: "t2", weight: null },
              { from: "t1", to: "g1", weight: 0.6 },
              { from: "t1", to: "c1", weight: 0.4 },
              { from: "t2", to: "c1", weight: 0 },
            ]}
          />
        </Part>
        <Part name="EmptyState, ErrorState, Skeleton">
          <div class="gallery-three">
            <EmptyState title="No topics yet" command="kafka-topics --bootstrap-server localhost:9092 --create --topic orders">
              What one would do next.
            </EmptyState>
            <ErrorState error={new Error("The broker at localhost:9092 refused the connection.")} onRetry={noop} />
            <Skeleton lines={5} />
          </div>
        </Part>
        <Part name="Icon">
          <div class="row wrap">
            {ICONS.map((name) => (
              <span key={name} title={name}>
                <Icon name={name} />
              </span>
            ))}
          </div>
        </Part>
      </div>
    </Page>
  );
}

function Part({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <section class="gallery-part" aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

function Buttons() {
  return (
    <div class="row wrap">
      {["", "main", "danger", "quiet"].map((kind) => (
        <button key={kind} type="button" class={`button ${kind}`}>
          {kind === "" ? "plain" : kind}
        </button>
      ))}
      <button type="button" class="button" aria-pressed="true">
        pressed
      </button>
      <button type="button" class="button" disabled>
        disabled
      </button>
      <button type="button" class="button icon" aria-label="icon">
        <Icon name="edit" />
      </button>
      <span class="tag">tag</span>
      <span class="tag accent">tag</span>
      <kbd>g t</kbd>
      <a href="/components">link</a>
    </div>
  );
}

function Fields() {
  const [choice, setChoice] = useState("zstd");
  const [text, setText] = useState("");
  return (
    <div class="gallery-three">
      <div class="field">
        <label for="gallery-text">Text</label>
        <input id="gallery-text" class="input" placeholder="placeholder" />
        <span class="hint">What belongs here.</span>
      </div>
      <div class="field">
        <label for="gallery-wrong">Wrong</label>
        <input id="gallery-wrong" class="input" aria-invalid="true" value="a b" />
        <span class="wrong">Why it cannot be taken.</span>
      </div>
      <div class="field">
        <label for="gallery-disabled">Disabled</label>
        <input id="gallery-disabled" class="input" disabled value="as it is" />
      </div>
      <div class="field">
        <label for="gallery-combobox">Combobox</label>
        <Combobox id="gallery-combobox" value={choice} options={["producer", "zstd", "lz4", "snappy", "gzip"]} onChange={setChoice} isStrict />
      </div>
      <SearchBox value={text} label="Search" onSearch={setText} />
      <FilterSelect label="Filter" value={choice} options={[["", "Any"], ["zstd", "zstd"], ["lz4", "lz4"]]} onChange={setChoice} />
      <div class="row">
        <label class="check">
          <input type="checkbox" defaultChecked /> on
        </label>
        <label class="check">
          <input type="checkbox" /> off
        </label>
        <label class="check">
          <input type="radio" name="gallery" defaultChecked /> one
        </label>
      </div>
    </div>
  );
}

function TabsSample() {
  const current = usePlace().query.get("tab") ?? "one";
  return (
    <Tabs
      label="Sample"
      current={current}
      tabs={["one", "two", "three"].map((id, index) => ({ id, title: id, href: `/components?tab=${id}`, ...(index === 1 ? { extra: 12 } : {}) }))}
    />
  );
}

function Dialogs() {
  const [shown, setShown] = useState<string | null>(null);
  const close = (): void => setShown(null);
  return (
    <div class="row wrap">
      {["dialog", "drawer", "action", "typed"].map((each) => (
        <button key={each} type="button" class="button" onClick={() => setShown(each)}>
          {each}
        </button>
      ))}
      {(shown === "dialog" || shown === "drawer") && (
        <Dialog title="Title" onClose={close} isDrawer={shown === "drawer"}>
          <JsonView text={JSON_TEXT} />
        </Dialog>
      )}
      {shown === "action" && (
        <ActionDialog title="An action that is refused" verb="Do it" action={ACTION} onClose={close} onRun={() => Promise.reject(new Error("The broker refused it, and this is why."))}>
          <p>It stays open with the reason.</p>
        </ActionDialog>
      )}
      {shown === "typed" && (
        <TypedNameDialog title="Delete topic" verb={t("action.delete")} name="orders" action={ACTION} onClose={close} onRun={() => Promise.resolve()}>
          <p>This cannot be undone.</p>
        </TypedNameDialog>
      )}
    </div>
  );
}

function Toasts() {
  return (
    <div class="stack tight gallery-narrow">
      <ToastCard toast={{ id: -1, text: "orders has been created.", status: "good", undo: null }} />
      <ToastCard toast={{ id: -2, text: "retention.ms has been changed.", status: "good", undo: noop }} />
      <ToastCard toast={{ id: -3, text: "The broker at localhost:9092 refused the connection.", status: "bad", undo: null }} />
      <div>
        <button type="button" class="button" onClick={() => toast({ text: "Told.", undo: noop })}>
          tell
        </button>
      </div>
    </div>
  );
}

function Charts() {
  const times = Array.from({ length: 60 }, (_, index) => OPENED_MS - (59 - index) * 60_000);
  const wave = (offset: number, gap: boolean): (number | null)[] => times.map((_, index) => (gap && index > 20 && index < 28 ? null : 4e6 * (1.5 + Math.sin(index / 6 + offset))));
  return (
    <div class="gallery-three">
      <Chart label="Two lines with a gap" times={times} series={[{ name: "in", values: wave(0, true) }, { name: "out", values: wave(2, false) }]} unit="bytes" isPer fromMs={OPENED_MS - 3_600_000} toMs={OPENED_MS} />
      <Chart label="Known for half of the time" times={times.slice(30)} series={[{ name: "lag", values: wave(1, false).slice(30) }]} unit="count" fromMs={OPENED_MS - 3_600_000} toMs={OPENED_MS} />
      <Chart label="Nothing" times={[]} series={[{ name: "lag", values: [] }]} unit="count" fromMs={OPENED_MS - 3_600_000} toMs={OPENED_MS} />
    </div>
  );
}

function Tables() {
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
        <DataTable {...props} id="gallery-waiting" label="Waiting" rows={null} isSlow isFilled />
      </div>
      <div class="panel gallery-table">
        <DataTable {...props} id="gallery-empty" label="Empty" rows={[]} isFilled />
      </div>
    </div>
  );
}

function Editors() {
  const [query, setQuery] = useState("SELECT region, COUNT(*) AS orders\nFROM orders_created\nWINDOW TUMBLING (SIZE 1 MINUTE)\nWHERE paid = true -- only those\nGROUP BY region EMIT CHANGES;");
  return (
    <div class="gallery-three">
      <CodeEditor label="SQL" value={query} language="sql" onChange={setQuery} onRun={(text) => toast({ text })} words={["orders_created", "region"]} />
      <CodeEditor label="JSON" value={BEFORE} language="json" />
      <CodeEditor label="Protobuf" value={'syntax = "proto3";\n\nmessage Order {\n  string id = 1; // of the shop\n}'} language="protobuf" />
      <CodeEditor label="Read only" value="as it is" language="text" isReadOnly />
    </div>
  );
}
