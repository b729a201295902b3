// For commands that are copied: which server they are for, in the command line's own words. Whoever pastes one may have a
// Connect or a registry of their own, and that is not the one that the page shows.
import type { Cluster } from "../api/clusters";

export type Addresses = Pick<Cluster, "connect_url" | "registry_url" | "ksql_url">;

/** To be filled in: a command without an address would go to whatever runs where it is pasted. */
const UNKNOWN = "URL";

export function connectAt({ connect_url }: Addresses): string[] {
  return ["--connect", connect_url ?? UNKNOWN];
}

export function registryAt({ registry_url }: Addresses): string[] {
  return ["--registry", registry_url ?? UNKNOWN];
}

/** An argument, not an option. */
export function ksqlAt({ ksql_url }: Addresses): string[] {
  return [ksql_url ?? UNKNOWN];
}
