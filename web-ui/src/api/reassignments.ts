export interface Reassignment {
  topic: string;
  partition: number;
  /** All of them while it moves: those that come and those that leave. */
  replicas: number[];
  adding: number[];
  removing: number[];
  bytes_to_copy: number | null;
  bytes_copied: number | null;
  /** Brokers that it waits for, which are away. */
  away: number[];
}

export interface PlanWanted {
  brokers?: number[];
  /** The replicas of each, as somebody has written them. */
  assignments?: Move[];
  /** A topic and its partitions, null for all of them; left out: all that `from_broker` has. */
  topics?: Record<string, number[] | null>;
  from_broker?: number;
  replication?: number;
  is_spread?: boolean;
}

export interface PlannedMove {
  topic: string;
  partition: number;
  old: number[];
  new: number[];
  adding: number[];
  removing: number[];
  bytes_to_copy: number | null;
}

export interface PlannedBroker {
  id: number;
  replicas_before: number;
  replicas_after: number;
  bytes_coming: number | null;
  bytes_leaving: number | null;
  disk_free_bytes: number | null;
}

export interface Plan {
  rows: PlannedMove[];
  unchanged: number;
  bytes_to_copy: number | null;
  brokers: PlannedBroker[];
}

export interface Move {
  topic: string;
  partition: number;
  replicas: number[];
}

/** null where that side of it has none. */
export interface BrokerThrottle {
  broker: number;
  leader_bytes_per_s: number | null;
  follower_bytes_per_s: number | null;
}

export interface MoveOutcome {
  taken: number;
  refused: { topic: string; partition: number; message: string }[];
}
