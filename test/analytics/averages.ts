import type { RatingInputs } from "#analytics/technical-rating.ts";

type Averages = RatingInputs["averages"];
type Kind = "sma" | "ema" | "hma" | "vwma";

const PERIODS = { sma: [10, 20, 30, 50, 100, 200], ema: [10, 20, 30, 50, 100, 200] } as const;

/** The averages of the technical rating, each by its name, its kind and its period. */
export function averagesOf(
  of: (name: keyof Averages, kind: Kind, period: number) => number,
): Averages {
  const entries = Object.entries({ ...PERIODS, hma: [9], vwma: [20] }).flatMap(([kind, periods]) =>
    periods.map((period) => {
      const name = `${kind}${period}` as keyof Averages;
      return [name, of(name, kind as Kind, period)] as const;
    }),
  );
  return Object.fromEntries(entries) as unknown as Averages;
}
