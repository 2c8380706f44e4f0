/** The place of a tile in pixels. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The edges of two tiles in the same line can differ by a rounded pixel and a border. */
const TOLERANCE = 2;
/** A tile straight ahead is nearer than one beside the way. */
const ASIDE = 2;

/** For an arrow key: a box turned so that the way is to the right. */
const TURNS: Readonly<Record<string, (box: Box) => Box>> = {
  ArrowRight: (box) => box,
  ArrowLeft: ({ left, right, top, bottom }) => ({ left: -right, right: -left, top, bottom }),
  ArrowDown: ({ left, right, top, bottom }) => ({
    left: top,
    right: bottom,
    top: left,
    bottom: right,
  }),
  ArrowUp: ({ left, right, top, bottom }) => ({
    left: -bottom,
    right: -top,
    top: left,
    bottom: right,
  }),
};

/**
 * The nearest tile in the direction of an arrow key, as seen from the middle of a tile.
 *
 * @returns its index; −1 if no tile is there, undefined for another key
 */
export function nearestTile(key: string, from: Box, tiles: readonly Box[]): number | undefined {
  const turn = TURNS[key];
  if (!turn) return undefined;
  const { right, top, bottom } = turn(from);
  const middle = (top + bottom) / 2;
  let [nearest, least] = [-1, Infinity];
  for (const [i, tile] of tiles.entries()) {
    const box = turn(tile);
    // A tile as small as the tolerance is not its own neighbour.
    if (box.left < right - TOLERANCE || box.right <= right) continue;
    const aside = Math.max(box.top - middle, middle - box.bottom, 0);
    const distance = box.left - right + ASIDE * aside;
    if (distance < least) [nearest, least] = [i, distance];
  }
  return nearest;
}
