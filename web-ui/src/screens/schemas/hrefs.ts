import { build, type QueryChange } from "../../router";

export type SubjectTab = "schema" | "versions" | "diff" | "references";

export function listHref(cluster: string): string {
  return build("/clusters/:cluster/schemas", { cluster });
}

export function subjectHref(cluster: string, subject: string, tab?: SubjectTab, query: QueryChange = {}): string {
  return build("/clusters/:cluster/schemas/:subject/:tab?", { cluster, subject, ...(tab === undefined ? {} : { tab }) }, query);
}

/** The list, with the dialog for a new subject of that name. */
export function newSubjectHref(cluster: string, subject: string): string {
  return build("/clusters/:cluster/schemas", { cluster }, { create: true, subject });
}
