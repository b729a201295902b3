import type { Cluster } from "../api/clusters";

/** For commands that are copied; where the server does not tell, the address that most have. */
export function bootstrap(cluster: Cluster): string {
  return cluster.bootstrap_servers ?? "localhost:9092";
}
