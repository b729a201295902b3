/** Whom a quota is for: "" is the default of that kind, null: it is not about that. */
export interface WhoseQuota {
  user: string | null;
  client_id: string | null;
  ip: string | null;
}

export interface Quota extends WhoseQuota {
  rates: Record<string, number>;
}

export interface QuotaChange extends WhoseQuota {
  set: Record<string, number>;
  unset: string[];
}
