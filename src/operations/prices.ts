/**
 * A price as JSON carries it: seven significant digits, and no less than whole units. Behind them,
 * the floats of many sources hold noise (`310.8500061035156`), which an agent would pay for.
 */
export function roundPrice(price: number): number {
  return price >= 1e6 ? Math.round(price) : Number(price.toPrecision(7));
}
