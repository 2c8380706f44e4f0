import { expect, test } from "bun:test";
import { type Box, nearestTile } from "../../../src/console/app/pages/markets/map-keys.ts";

/** A box by its left and top edge, width and height. */
const box = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

// A large tile at the left; at its right two small ones, one below the other, and a narrow one behind them.
const TILES = [
  box(0, 0, 100, 100),
  box(101, 0, 50, 39),
  box(101, 40, 50, 60),
  box(152, 0, 20, 100),
];
const [LARGE = box(0, 0, 0, 0), UPPER = LARGE, LOWER = LARGE, LAST = LARGE] = TILES;

test.each([
  ["ArrowRight", LARGE, LOWER],
  ["ArrowLeft", LOWER, LARGE],
  ["ArrowUp", LOWER, UPPER],
  ["ArrowDown", UPPER, LOWER],
  ["ArrowRight", UPPER, LAST],
  ["ArrowLeft", LAST, LOWER],
] as const)("%s leads to the neighbour at the middle of the tile", (key, from, to) => {
  expect(TILES[nearestTile(key, from, TILES) ?? -1]).toEqual(to);
});

test("at the edge no tile follows, and another key leads nowhere", () => {
  expect(nearestTile("ArrowLeft", LARGE, TILES)).toBe(-1);
  expect(nearestTile("ArrowUp", UPPER, TILES)).toBe(-1);
  expect(nearestTile("Enter", UPPER, TILES)).toBeUndefined();
});

test("a tile of a pixel is not its own neighbour", () => {
  const [tiny, next] = [box(0, 0, 1, 20), box(2, 0, 30, 20)];
  expect(nearestTile("ArrowRight", tiny, [tiny, next])).toBe(1);
  expect(nearestTile("ArrowLeft", tiny, [tiny, next])).toBe(-1);
});
