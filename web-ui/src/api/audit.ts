export type Outcome = "done" | "refused" | "failed" | "gone";
export const OUTCOMES: readonly Outcome[] = ["done", "refused", "failed", "gone"];

/** A change that was asked for. `about` has the variable parts of the route, `notes` what the change was. */
export interface AuditEntry {
  at_ms: number;
  who: string | null;
  role: string | null;
  address: string;
  method: string;
  route: string;
  about: Record<string, string>;
  notes: Record<string, string>;
  outcome: Outcome;
  status: number;
  reason: string | null;
  /** So many more of this caller were refused in the minute before, and are not in the log. */
  left_out: number;
}
