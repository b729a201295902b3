// How large a graph is drawn in the room that it has.
export interface Size {
  width: number;
  height: number;
}

/** Below it names cannot be read: what is still too wide scrolls. */
const SCALE_MIN = 0.7;
/** Above it a few boxes would shout. */
const SCALE_MAX = 1.6;

/** As wide as the room, as far as it can be read, and larger than drawn only where it is whole then. `isWhole`: all of it
 * is to be seen, however small. */
export function graphScale(graph: Size, room: Size, isWhole: boolean): number {
  if (graph.width <= 0 || graph.height <= 0 || room.width <= 0 || room.height <= 0) return 1;
  const [across, down] = [room.width / graph.width, room.height / graph.height];
  if (isWhole) return Math.min(across, down, SCALE_MAX);
  return across < 1 ? Math.max(across, SCALE_MIN) : Math.min(across, Math.max(down, 1), SCALE_MAX);
}
