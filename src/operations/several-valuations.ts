import { intervalStart } from "#analytics/bar-intervals.ts";
import type { BourseError } from "#domain/errors.ts";
import type { Cell } from "#lib/table.ts";
import { formatKey, type UnknownSymbol } from "./reading/symbols.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import type { WhyMissing } from "./reasons.ts";

type Figures = Record<string, number | null>;

/** The history of one company, as an answer about it has it. */
export interface Valuation {
  readonly name: string;
  readonly session: string | null;
  readonly metrics: Readonly<Record<string, Figures>>;
  readonly verdicts: Readonly<Record<string, string | null>>;
  readonly verdict_window: string;
  readonly begins?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The histories of several companies. */
export interface SeveralValuations {
  readonly found: readonly { readonly key: InstrumentKey; readonly data: Valuation }[];
  /** Why others have none. */
  readonly errors: readonly { readonly key: InstrumentKey; readonly error: BourseError }[];
  readonly unknown: readonly UnknownSymbol[];
}

/**
 * The histories side by side: a column for each company and metric, and a row for each month, or for the week that begins on
 * a Monday. Figures and verdicts are by the names of these columns.
 */
export function joinValuations(
  { found, errors, unknown }: SeveralValuations,
  interval: "1wk" | "1mo",
) {
  const names = columnsOf(found).map(({ name }) => name);
  const byPeriod = new Map<string, Cell[]>();
  let place = 0;
  for (const { data } of found) {
    for (const [date, ...values] of data.rows) {
      const period = periodOf(String(date), interval);
      const cells = byPeriod.get(period) ?? names.map(() => null);
      values.forEach((value, i) => (cells[place + i] = value));
      byPeriod.set(period, cells);
    }
    place += data.columns.length - 1;
  }
  const all = found.flatMap(({ data }) =>
    data.columns.slice(1).map((metric) => ({ data, metric })),
  );
  const named = <T>(valueOf: (one: (typeof all)[number]) => T): Record<string, T> =>
    Object.fromEntries(all.map((one, i) => [names[i] ?? "", valueOf(one)]));
  const window = found[0]?.data.verdict_window ?? "";
  const notes = [
    ...found.flatMap(({ key, data }) =>
      data.begins === undefined ? [] : [`${formatKey(key)} begins on ${data.begins}.`],
    ),
    ...found.flatMap(({ key, data }) =>
      data.verdict_window === window
        ? []
        : [`${formatKey(key)} has a window of ${data.verdict_window}.`],
    ),
    ...errors.map(({ key, error }) => `${formatKey(key)}: ${error.message}`),
  ];
  return {
    name: found.map(({ data }) => data.name).join(", "),
    session:
      found
        .map(({ data }) => data.session ?? "")
        .toSorted()
        .at(-1) || null,
    metrics: named(({ data, metric }) => data.metrics[metric] ?? {}),
    verdicts: named(({ data, metric }) => data.verdicts[metric] ?? null),
    verdict_window: window,
    ...(notes.length > 0 && { notes }),
    ...(unknown.length > 0 && { unknown: [...unknown] }),
    columns: [interval === "1mo" ? "month" : "week", ...names],
    rows: [...byPeriod]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([period, values]): Cell[] => [period, ...values]),
  };
}

/** The columns of the histories: the company, and with several metrics the metric. */
function columnsOf<T extends SeveralValuations["found"][number]>(found: readonly T[]) {
  const isOne = found[0]?.data.columns.length === 2;
  return found.flatMap((one) =>
    one.data.columns.slice(1).map((metric) => {
      const key = formatKey(one.key);
      return { name: isOne ? key : `${key} ${metric}`, metric, one };
    }),
  );
}

/** Why figures of several histories are missing: as in the answer about one company. */
export function whyOfSeveral(
  found: readonly (SeveralValuations["found"][number] & { readonly why: WhyMissing })[],
  interval: "1wk" | "1mo",
): WhyMissing {
  const columns = new Map(columnsOf(found).map((column) => [column.name, column]));
  return (gap) => {
    const { figure, path, of } = gap;
    const inParts = path[0] === "metrics" || path[0] === "verdicts";
    const column = columns.get(path[0] === "metrics" ? String(path[1]) : figure);
    if (!column) return gap.isList ? "too_few" : undefined;
    const { metric, one } = column;
    if (inParts) {
      const named = path[0] === "metrics" ? [path[0], metric] : path;
      return one.why({ ...gap, figure: path[0] === "metrics" ? figure : metric, path: named });
    }
    const period = String(of["month"] ?? of["week"]);
    const dates = one.data.rows.map(([date]) => String(date));
    const date = dates.find((day) => periodOf(day, interval) === period);
    if (date !== undefined) return one.why({ ...gap, figure: metric, of: { ...of, date } });
    const [first] = dates;
    return first === undefined || period < periodOf(first, interval)
      ? "not_listed_then"
      : undefined;
  };
}

/** The month of a date, or the Monday of its week. */
function periodOf(date: string, interval: "1wk" | "1mo"): string {
  return interval === "1mo" ? date.slice(0, 7) : intervalStart(date, "1wk");
}
