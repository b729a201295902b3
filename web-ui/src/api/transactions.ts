export interface TransactionRow {
  id: string;
  producer_id: number;
  state: string;
  coordinator: number;
  started_ms: number | null;
}

export interface Transaction extends TransactionRow {
  producer_epoch: number;
  timeout_ms: number;
  partitions: { topic: string; partition: number }[];
}

/** A producer, as the leader of a partition remembers it. */
export interface Producer {
  partition: number;
  producer_id: number;
  producer_epoch: number;
  last_sequence: number | null;
  last_timestamp_ms: number | null;
  coordinator_epoch: number | null;
  /** Where its transaction begins in this partition; null where none is open. */
  transaction_start_offset: number | null;
}

export interface Producers {
  items: Producer[];
  is_cut: boolean;
}
