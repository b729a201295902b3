// What a group's page lists: a partition a row, or a topic a row where no more is known.
import type { Group, GroupOffset } from "../../api/groups";

export interface OffsetRow extends Omit<GroupOffset, "partition"> {
  /** Null where the row is of a topic as a whole. */
  partition: number | null;
}

/** Whether it is shown as it was last seen, since its coordinator does not tell. */
export function isAsLastSeen(group: Pick<Group, "stale_reason">): boolean {
  return group.stale_reason !== null;
}

export function offsetRows(group: Group): readonly OffsetRow[] {
  if (!isAsLastSeen(group)) return group.offsets;
  return group.topics.map(({ topic, lag }) => ({ topic, lag, partition: null, committed: null, next_offset: null, member: null, metadata: null }));
}
