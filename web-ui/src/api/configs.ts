// Settings of a broker or a topic, as both tell them.
export interface ConfigEntry {
  name: string;
  /** null: a secret, or nothing is set. */
  value: string | null;
  source: string;
  is_read_only: boolean;
  is_sensitive: boolean;
  default: string | null;
  type: string | null;
  about: string | null;
  can_change_now: boolean;
}

export interface ConfigChange {
  set: Record<string, string>;
  unset: string[];
}
