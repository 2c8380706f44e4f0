import type { Row } from "./rows.ts";
import type { Reason } from "#domain/reasons.ts";

/** An answer, which says why figures of its rows are missing. */
export interface Reasoned {
  readonly rows: readonly unknown[];
  readonly reasons?: Readonly<Partial<Record<Reason, readonly string[]>>>;
}

/** Why a figure of a row is missing; undefined if the answer does not say. */
export function reasonOf({ reasons = {} }: Reasoned, row: Row, figure: string): Reason | undefined {
  const { country, symbol } = row;
  const place = country ? `${country}:${symbol}` : symbol;
  for (const name of [`${figure} of ${place}`, figure, `all of ${place}`])
    for (const reason in reasons)
      if (reasons[reason as Reason]?.includes(name)) return reason as Reason;
  return undefined;
}
