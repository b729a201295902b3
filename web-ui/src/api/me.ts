// Who is at the console, and what they may do.
import { store, useStore } from "../store";

export type Role = "viewer" | "operator" | "admin";

export interface Me {
  name: string | null;
  /** null: nobody is logged in. */
  role: Role | null;
  login: "none" | "local" | "oidc";
  csrf: string | null;
  read_only: boolean;
  version: string;
  language: string | null;
  /** Beside an identity provider there are local users too. */
  has_passwords?: boolean;
  /** Messages can be exported as Parquet, which takes pyarrow on the console's machine. */
  has_parquet?: boolean;
}

const RANK: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

export const me = store<Me | null>(null);

export function mayAs(who: Me | null, role: Role): boolean {
  return who !== null && who.role !== null && !who.read_only && RANK[who.role] >= RANK[role];
}

/** Questions that are posted change nothing: a console that is read only answers them too. */
export function mayAskAs(who: Me | null, role: Role): boolean {
  return who !== null && who.role !== null && RANK[who.role] >= RANK[role];
}

export function useMayAsk(role: Role): boolean {
  return mayAskAs(useStore(me), role);
}

/** Whether what needs this role can be offered at all. The server decides again. */
export function useMay(role: Role): boolean {
  return mayAs(useStore(me), role);
}
