// The whole stream on one page: who writes where, who reads what, how much of it.
import type { ComponentChildren } from "preact";
import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { FlowKind, FlowMap, FlowStream, FlowThing } from "../../api/flow";
import { useApi } from "../../api/use_api";
import { type Column, DataTable } from "../../components/DataTable";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { type FlowEdge, FlowGraph, type FlowNode } from "../../components/FlowGraph";
import { Icon } from "../../components/Icon";
import { useFlag } from "../../components/list_state";
import { Bytes } from "../../components/Quantity";
import { SearchBox } from "../../components/SearchBox";
import { Skeleton } from "../../components/Skeleton";
import { bytes, count } from "../../format/quantity";
import { language, t } from "../../i18n/text";
import { build, setQuery, usePlace } from "../../router";
import { Page } from "../../shell/Page";
import { bootstrap } from "../bootstrap";
import { pipelineStateWord } from "../pipelines/PipelineState";
import type { ScreenProps } from "../table";
import { thingHref } from "../thing_href";
import "./flow.css";
import { hiddenOf, KINDS, type ShownMap, shownMap, weight } from "./shown_map";

const EVERY_MS = 5000;
const COLUMNS: Record<FlowKind, number> = { producer: 0, connector: 0, topic: 1, query: 2, group: 2, consumer: 2 };

export default function FlowScreen({ cluster }: ScreenProps) {
  const { query } = usePlace();
  const q = query.get("q") ?? "";
  const hidden = hiddenOf(query.get("hide"));
  const [withInternal, setInternal] = useFlag("internal");
  const [isFitted, setFitted] = useFlag("fit");
  const isTable = query.get("view") === "table";
  const loaded = useApi<FlowMap>(cluster === null ? null : path`/clusters/${cluster.id}/flow`, {}, { everyMs: EVERY_MS });
  if (cluster === null) return null;
  const map = loaded.data;
  const shown = map === null ? null : shownMap(map, { q, hidden, withInternal });
  const toggle = (kind: FlowKind): void => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setQuery({ hide: [...next].join(",") }, { replace: true });
  };
  const bar = (
    <>
      <SearchBox value={q} label={t("flow.search")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
      <div class="flow-kinds" role="group" aria-label={t("flow.kinds")}>
        {KINDS.filter((kind) => map?.nodes.some((node) => node.kind === kind)).map((kind) => (
          <button key={kind} type="button" class="button" aria-pressed={!hidden.has(kind)} onClick={() => toggle(kind)}>
            <span class={`flow-mark ${kind}`} aria-hidden="true" />
            {t(`flow.kind.${kind}`)}
            <span class="soft">{map?.nodes.filter((node) => node.kind === kind && (withInternal || !node.is_internal)).length}</span>
          </button>
        ))}
      </div>
      <label class="check">
        <input type="checkbox" checked={withInternal} onChange={(event) => setInternal(event.currentTarget.checked)} />
        {t("flow.internal")}
      </label>
    </>
  );
  return (
    <Page
      title={t("flow.title")}
      isFilled
      actions={
        <>
          {!isTable && (
            <button type="button" class="button" aria-pressed={isFitted} onClick={() => setFitted(!isFitted)}>
              <Icon name="fit" />
              <span class="word">{t("flow.fit")}</span>
            </button>
          )}
          <button type="button" class="button" aria-pressed={isTable} onClick={() => setQuery({ view: isTable ? null : "table" })}>
            <Icon name="list" />
            <span class="word">{t("flow.as_table")}</span>
          </button>
        </>
      }
    >
      {map !== null && <Notes map={map} cluster={cluster} />}
      {map === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {map === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {map !== null && shown !== null && isTable && <Streams shown={shown} cluster={cluster} bar={bar} empty={<Nothing map={map} cluster={cluster} />} />}
      {map !== null && shown !== null && !isTable && (
        <>
          <div class="toolbar">{bar}</div>
          {shown.nodes.length === 0 ? <Nothing map={map} cluster={cluster} /> : <div class="flow-room">{drawing(shown, cluster, isFitted)}</div>}
        </>
      )}
    </Page>
  );
}

function Notes({ map, cluster }: { map: FlowMap; cluster: Cluster }) {
  if (map.about === null && map.left_out === 0) return null;
  return (
    <div class="flow-notes small" role="note">
      {map.about !== null && (
        <p>
          <Icon name="info" />
          {t(cluster.is_riacho ? "flow.no_metrics" : "flow.only_ours")}
        </p>
      )}
      {map.left_out > 0 && (
        <p>
          <Icon name="info" />
          {t("flow.left_out", { n: map.left_out })}
        </p>
      )}
    </div>
  );
}

function Nothing({ map, cluster }: { map: FlowMap; cluster: Cluster }) {
  if (map.nodes.some((node) => !node.is_internal)) {
    return (
      <EmptyState
        title={t("flow.none_found")}
        action={
          <button type="button" class="button" onClick={() => setQuery({ q: null, hide: null })}>
            {t("flow.show_all")}
          </button>
        }
      >
        {t("flow.none_found_why")}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("flow.none")} command={`kafka-console-consumer --bootstrap-server ${bootstrap(cluster)} --topic orders --group my-group`}>
      {t("flow.none_how")}
    </EmptyState>
  );
}

function drawing({ nodes, edges }: ShownMap, cluster: Cluster, isFitted: boolean) {
  const most = Math.max(0, ...edges.map((each) => each.rate_per_s ?? 0));
  const incoming = new Map<string, number | null>();
  for (const each of edges) if (each.rate_per_s !== null) incoming.set(each.to, (incoming.get(each.to) ?? 0) + each.rate_per_s);
  const drawn: FlowNode[] = nodes.map((node) => {
    const note = noteOf(node, incoming.get(node.id) ?? null);
    const href = hrefOf(node, cluster.id);
    const status = statusOf(node);
    return {
      id: node.id,
      name: node.name,
      kind: node.kind,
      kindName: t(`flow.one.${node.kind}`),
      column: COLUMNS[node.kind],
      ...(note === null ? {} : { note }),
      ...(node.principal === null ? {} : { about: t("flow.principal_of", { principal: node.principal }) }),
      ...(href === undefined ? {} : { href }),
      ...(status === null ? {} : { status }),
    };
  });
  const lines: FlowEdge[] = edges.map((each) => ({
    from: each.from,
    to: each.to,
    weight: weight(each.rate_per_s, most),
    ...(each.rate_per_s === null ? {} : { note: perSecond(each.rate_per_s) }),
  }));
  return <FlowGraph label={t("flow.title")} nodes={drawn} edges={lines} isFitted={isFitted} isRoomy />;
}

function Streams({ shown, cluster, bar, empty }: { shown: ShownMap; cluster: Cluster; bar: ComponentChildren; empty: ComponentChildren }) {
  const { query } = usePlace();
  const byId = new Map(shown.nodes.map((node) => [node.id, node]));
  const end = (id: string) => {
    const node = byId.get(id);
    if (node === undefined) return null;
    const href = hrefOf(node, cluster.id);
    return (
      <>
        <span class={`flow-mark ${node.kind}`} title={t(`flow.one.${node.kind}`)} /> {href === undefined ? node.name : <a href={href}>{node.name}</a>}
      </>
    );
  };
  const principal = (each: FlowStream): string | null | undefined => byId.get(each.from)?.principal ?? byId.get(each.to)?.principal;
  const columns: Column<FlowStream>[] = [
    { id: "from", title: t("flow.from"), value: (each) => byId.get(each.from)?.name, width: 120, isWide: true, priority: 1, cell: (each) => end(each.from) },
    { id: "from_kind", title: t("flow.kind"), value: (each) => byId.get(each.from)?.kind, width: 104, priority: 3, cell: (each) => <Kind node={byId.get(each.from)} /> },
    { id: "to", title: t("flow.to"), value: (each) => byId.get(each.to)?.name, width: 120, isWide: true, priority: 1, cell: (each) => end(each.to) },
    { id: "to_kind", title: t("flow.kind"), value: (each) => byId.get(each.to)?.kind, width: 104, priority: 3, cell: (each) => <Kind node={byId.get(each.to)} /> },
    { id: "principal", title: t("flow.principal"), value: principal, width: 128, priority: 4 },
    { id: "rate", title: t("flow.rate"), value: (each) => each.rate_per_s, width: 104, isNumber: true, priority: 1, cell: (each) => <Bytes value={each.rate_per_s} per /> },
  ];
  return (
    <DataTable
      id="flow"
      label={t("flow.title")}
      columns={columns}
      rows={shown.edges}
      rowKey={(each) => `${each.from} ${each.to}`}
      sort={query.get("sort") ?? "-rate"}
      onSort={(sort) => setQuery({ sort: sort === "-rate" ? null : sort }, { replace: true })}
      isFilled
      empty={empty}
    >
      {bar}
    </DataTable>
  );
}

function Kind({ node }: { node: FlowThing | undefined }) {
  return node === undefined ? null : <span class="soft">{t(`flow.one.${node.kind}`)}</span>;
}

function hrefOf(node: FlowThing, cluster: string): string | undefined {
  if (node.kind === "topic") return thingHref("/clusters/:cluster/topics/:topic", { cluster, topic: node.name });
  if (node.kind === "group") return thingHref("/clusters/:cluster/groups/:group", { cluster, group: node.name });
  if (node.kind === "connector") return thingHref("/clusters/:cluster/connectors/:connector", { cluster, connector: node.name });
  if (node.kind === "query") return thingHref("/clusters/:cluster/sql/:tab?", { cluster, tab: "queries" }, { query: node.name });
  // Clients have no page: what flows through them is what there is to see.
  return build("/clusters/:cluster/flow", { cluster }, { q: node.name });
}

function noteOf(node: FlowThing, incoming: number | null): string | null {
  if (node.lag !== null) {
    const { number, unit } = count(node.lag, language());
    return t("flow.lag", { lag: `${number}${unit === "" ? "" : ` ${unit}`}` });
  }
  if (node.kind === "connector" || node.kind === "query") return pipelineStateWord({ kind: node.kind, state: node.state });
  if (node.kind === "topic" && incoming !== null) return t("flow.in", { rate: perSecond(incoming) });
  return null;
}

function statusOf(node: FlowThing): "bad" | "warning" | null {
  const state = node.state?.toUpperCase() ?? "";
  if (node.kind !== "connector" && node.kind !== "query") return null;
  if (state === "FAILED" || state === "ERROR" || state === "UNRESPONSIVE") return "bad";
  return state === "PAUSED" || state === "STOPPED" || state === "UNASSIGNED" ? "warning" : null;
}

function perSecond(rate: number): string {
  const { number, unit } = bytes(rate, language());
  return `${number} ${unit}/s`;
}
