// What the editor offers: functions, streams and tables, and the columns of those that the text names.
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, path } from "../../api/client";
import type { SqlField, SqlFunction, SqlSource, SqlSourcePage } from "../../api/sql";
import { useApi } from "../../api/use_api";
import type { CodeWord } from "../../components/CodeEditor";
import { identifier, statementsOf } from "./statements";

const SOURCES_MAX = 20;
const PAUSE_MS = 400;

export function useWords(clusterId: string, text: string, sources: readonly SqlSource[] | null): readonly CodeWord[] {
  const functions = useApi<SqlFunction[]>(path`/clusters/${clusterId}/sql/functions`).data;
  const [columns, setColumns] = useState<ReadonlyMap<string, readonly SqlField[]>>(new Map());
  // The list is read again and again: as long as it says the same, what is offered stays.
  const listed = (sources ?? []).map((each) => `${each.name} ${each.kind}`).join("\n");
  const named = useMemo(() => namedSources(text, sources ?? []).join("\n"), [text, listed]);
  useEffect(() => {
    const missing = named.split("\n").filter((name) => name !== "" && !columns.has(name));
    if (missing.length === 0) return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      // What cannot be described now offers no columns, and is asked for again later.
      const found = await Promise.all(missing.map((name) => get<SqlSourcePage>(path`/clusters/${clusterId}/sql/sources/${name}`, {}, stop.signal).catch(() => null)));
      if (!stop.signal.aborted) setColumns((before) => new Map([...before, ...found.flatMap((page) => (page === null ? [] : [[page.name, page.fields] as const]))]));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [named, clusterId]);
  return useMemo(() => wordsOf(functions ?? [], sources ?? [], named.split("\n"), columns), [functions, listed, named, columns]);
}

export function namedSources(text: string, sources: readonly SqlSource[]): string[] {
  const words = new Set(statementsOf(text).flatMap((each) => each.words));
  return sources.filter((each) => words.has(each.name.toUpperCase()) || text.includes(`\`${each.name}\``)).slice(0, SOURCES_MAX).map((each) => each.name);
}

function wordsOf(functions: readonly SqlFunction[], sources: readonly SqlSource[], named: readonly string[], columns: ReadonlyMap<string, readonly SqlField[]>): CodeWord[] {
  const fields = new Map(named.flatMap((name) => (columns.get(name) ?? []).map((field) => [field.name, field.type] as const)));
  return [
    ...[...fields].map(([name, type]): CodeWord => ({ label: identifier(name), kind: "column", detail: type })),
    ...sources.map((each): CodeWord => ({ label: identifier(each.name), kind: "source", detail: each.kind })),
    ...functions.map((each): CodeWord => ({ label: each.name, kind: "function", detail: each.kind })),
  ];
}
