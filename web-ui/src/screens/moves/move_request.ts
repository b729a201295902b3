// What a plan asks of the server, from what was filled in, and what is sent when it is carried out.
import type { Move, PlannedMove, PlanWanted, Reassignment } from "../../api/reassignments";
import { partitionsOf } from "../groups/reset_request";
import { type RateField, rateOf } from "../security/rates";

export interface MoveForm {
  what: "topic" | "broker" | "lists";
  topic: string;
  /** Of that topic; "" is all: `0, 2-4`. */
  partitions: string;
  /** The one that everything leaves. */
  broker: string;
  targets: readonly number[];
  /** "" is as many as each has. */
  replication: string;
  isSpread: boolean;
  /** `orders 0: 2,3,1`, a line for each partition. */
  lists: string;
  throttle: RateField;
}

const LINE = /^(\S+)(?:\s+|-)(\d{1,9})\s*[:=]?\s*\[?(\d{1,9}(?:\s*,\s*\d{1,9})*)\]?$/;

/** The replicas of partitions, a line each; or the number of the line that is none. */
export function listsOf(text: string): { moves: Move[] } | { line: number } {
  const moves: Move[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const found = LINE.exec(line.trim());
    if (found === null) return { line: index + 1 };
    moves.push({ topic: found[1] ?? "", partition: Number(found[2]), replicas: (found[3] ?? "").split(",").map(Number) });
  }
  return { moves };
}

/** Bytes a second; undefined: no throttle; null: what is typed is none. */
export function throttleOf(form: Pick<MoveForm, "throttle">): number | null | undefined {
  const rate = rateOf(form.throttle);
  return typeof rate === "number" ? Math.max(1, Math.round(rate)) : rate;
}

/** null while it is not whole. */
export function planWanted(form: MoveForm): PlanWanted | null {
  if (form.what === "lists") {
    const written = listsOf(form.lists);
    return "line" in written || written.moves.length === 0 ? null : { assignments: written.moves };
  }
  const replication = form.replication.trim();
  if (form.targets.length === 0 || (replication !== "" && !/^[1-9]\d?$/.test(replication))) return null;
  const rest = { brokers: [...form.targets], ...(replication === "" ? {} : { replication: Number(replication) }), ...(form.isSpread ? { is_spread: true } : {}) };
  if (form.what === "broker") return /^\d{1,9}$/.test(form.broker) ? { from_broker: Number(form.broker), ...rest } : null;
  const partitions = form.partitions.trim() === "" ? null : partitionsOf(form.partitions);
  if (form.topic === "" || (form.partitions.trim() !== "" && partitions === null)) return null;
  return { topics: { [form.topic]: partitions }, ...rest };
}

export function movesThere(rows: readonly PlannedMove[]): Move[] {
  return rows.map(({ topic, partition, new: replicas }) => ({ topic, partition, replicas }));
}

/** The way back: one that is still under way turns round, one that is done moves again. */
export function movesBack(rows: readonly PlannedMove[]): Move[] {
  return rows.map(({ topic, partition, old: replicas }) => ({ topic, partition, replicas }));
}

/** What a move that is under way leads to. */
export function targetOf(move: Reassignment): number[] {
  return move.replicas.filter((id) => !move.removing.includes(id));
}
