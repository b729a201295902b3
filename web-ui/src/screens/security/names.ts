// Suggestions for fields: what is there already. Anything else may be typed.
import { get, path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Page } from "../../api/list";

const SUGGESTED_MAX = 20;

type Suggest = (text: string, signal: AbortSignal) => Promise<readonly string[]>;

export function topicNames(cluster: Cluster): Suggest {
  return async (text, signal) => (await get<Page<{ name: string }>>(path`/clusters/${cluster.id}/topics`, { q: text, page_size: SUGGESTED_MAX }, signal)).items.map((each) => each.name);
}

export function groupNames(cluster: Cluster): Suggest {
  return async (text, signal) => (await get<Page<{ id: string }>>(path`/clusters/${cluster.id}/groups`, { q: text, page_size: SUGGESTED_MAX }, signal)).items.map((each) => each.id);
}

export function userNames(cluster: Cluster): Suggest {
  return async (text, signal) => (await get<Page<{ name: string }>>(path`/clusters/${cluster.id}/users`, { q: text, page_size: SUGGESTED_MAX }, signal)).items.map((each) => each.name);
}

/** Users as principals; others have another kind before the colon. */
export function principalNames(cluster: Cluster): Suggest {
  const users = userNames(cluster);
  return async (text, signal) => (await users(text.replace(/^User:/, ""), signal)).map((name) => `User:${name}`);
}

/** The last of several names with commas between. */
export function lastOf(suggest: Suggest): Suggest {
  return async (text, signal) => {
    const before = text.slice(0, text.lastIndexOf(",") + 1);
    const found = await suggest(text.slice(before.length).trim(), signal);
    return found.map((name) => (before === "" ? name : `${before} ${name}`));
  };
}
