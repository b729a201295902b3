// The clusters that this console knows.
import { store, useStore } from "../store";
import { get } from "./client";

export interface Cluster {
  id: string;
  name: string;
  color: string | null;
  state: "up" | "down" | "starting";
  reason: string | null;
  as_of_ms: number | null;
  is_riacho: boolean;
  kafka_version: string | null;
  bootstrap_servers?: string | null;
  // Without login and query; null where there is none.
  registry_url?: string | null;
  connect_url?: string | null;
  ksql_url?: string | null;
  has: { schema_registry: boolean; connect: boolean; ksql: boolean; metrics: boolean };
}

export type Part = keyof Cluster["has"];

export const clusters = store<Cluster[] | null>(null);

export function useCluster(id: string | null): Cluster | null {
  return useStore(clusters)?.find((each) => each.id === id) ?? null;
}

export async function loadClusters(): Promise<Cluster[]> {
  const answer = await get<Cluster[] | { items: Cluster[] }>("/clusters");
  const items = Array.isArray(answer) ? answer : answer.items;
  clusters.set(items);
  return items;
}
