/** The corners of a line; a stepped one holds each value until the next. */
export function lineThrough(
  corners: readonly (readonly [x: number, y: number])[],
  isStepped: boolean,
): string {
  return corners
    .flatMap(([x, y], i) => {
      const before = corners[i - 1];
      return isStepped && before
        ? [
            [x, before[1]],
            [x, y],
          ]
        : [[x, y]];
    })
    .map((one) => one.join(","))
    .join(" ");
}
