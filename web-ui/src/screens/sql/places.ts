// Where what is in this screen can be linked from.
import { build, type QueryChange } from "../../router";

export type SqlTab = "editor" | "queries" | "sources";

export function sqlHref(cluster: string, tab: SqlTab, query: QueryChange = {}): string {
  return build("/clusters/:cluster/sql/:tab?", { cluster, tab }, query);
}

export function queryHref(cluster: string, id: string): string {
  return sqlHref(cluster, "queries", { query: id });
}

export function sourceHref(cluster: string, name: string): string {
  return sqlHref(cluster, "sources", { source: name });
}

/** The editor, with this statement below what is in it. */
export function editorHref(cluster: string, sql: string): string {
  return sqlHref(cluster, "editor", { sql });
}
