// Every component in every state, on one page: to be looked at, and to be walked by tests.
import type { ComponentChildren } from "preact";
import { Chart } from "../../components/Chart";
import { CopyAs, CopyText } from "../../components/CopyAs";
import { CsvButton } from "../../components/CsvButton";
import { DiffView } from "../../components/DiffView";
import { EmptyState, ErrorState, NoneFound } from "../../components/EmptyState";
import { Facts } from "../../components/Facts";
import { Figure, Figures } from "../../components/Figure";
import { HexView } from "../../components/HexView";
import { Icon, ICONS } from "../../components/Icon";
import { JsonView } from "../../components/JsonView";
import { Menu } from "../../components/Menu";
import { Bytes, Count, Duration, Exact } from "../../components/Quantity";
import { RelativeTime } from "../../components/RelativeTime";
import { Skeleton } from "../../components/Skeleton";
import { Sparkline } from "../../components/Sparkline";
import { type Status, StatusMark } from "../../components/StatusMark";
import { Tabs } from "../../components/Tabs";
import { ToastCard } from "../../components/Toasts";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";
import { usePlace } from "../../router";
import { Page } from "../../shell/Page";
import "./components.css";
import { ConfigSample } from "./ConfigSample";
import { Dialogs } from "./Dialogs";
import { Editors } from "./Editors";
import { Fields } from "./Fields";
import { Graphs } from "./Graphs";
import { ACTION, BEFORE, JSON_TEXT } from "./sample_texts";
import { Tables } from "./Tables";

const OPENED_MS = Date.now();
const STATUSES: readonly Status[] = ["good", "warning", "bad", "unknown", "idle"];
const SPARK = [3, 4, 6, 5, 7, 9, 8, null, null, 6, 7, 9, 12, 11, 10, 13, 14, 12];
const AFTER = '{\n  "type": "record",\n  "name": "Order",\n  "fields": [\n    {"name": "id", "type": "long"},\n    {"name": "note", "type": ["null", "string"], "default": null},\n    {"name": "paid", "type": "boolean", "default": false}\n  ]\n}';
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
                { label: "Disabled, with its reason", isDisabled: true, about: "What it would take is not here.", onSelect: noop },
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
        <Part name="ConfigTable">
          <ConfigSample />
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
          <Graphs />
        </Part>
        <Part name="EmptyState, NoneFound, ErrorState, Skeleton">
          <div class="gallery-three">
            <EmptyState title="No topics yet" command="kafka-topics --bootstrap-server localhost:9092 --create --topic orders">
              What one would do next.
            </EmptyState>
            <NoneFound onClear={noop} />
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
