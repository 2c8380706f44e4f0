import { callOperation, dataKey, queryOf, useResource } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import type { Vocabulary } from "#console/app/parts/metrics.tsx";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { t, translate } from "#console/app/words.ts";
import { callOf, type Choice, choose } from "./choice.ts";
import { currencyOf } from "#console/app/parts/country-currency.ts";
import { filtersOf, joinConditions } from "./conditions.ts";
import { describeFilter } from "./filters.tsx";

type Metrics = Vocabulary["metrics"];

/** A screen without one of its filters. */
interface Without {
  /** The filter that it lacks, in words. */
  readonly filter: string;
  /** What the service calls the filter, or its parts: `pe<20`, `sector technology`. */
  readonly texts: readonly string[];
  readonly choice: Choice;
}

/** Each screen without one filter, its cursor and its page. */
function allWithout(choice: Choice, metrics: Metrics | undefined): Without[] {
  const { conditions, sector, industry, exchange, country } = choice;
  const first = { ...choice, cursor: null, page: 1 };
  return [
    ...filtersOf(conditions).map((filter) => ({
      filter: describeFilter(filter, metrics ?? new Map(), currencyOf(country)),
      texts: filter.texts,
      choice: { ...first, conditions: conditions.filter((one) => !filter.texts.includes(one)) },
    })),
    ...(sector === null
      ? []
      : [
          {
            filter: `${t("Sector")}: ${classNameOf(sector)}`,
            texts: [`sector ${sector}`],
            choice: { ...first, sector: null },
          },
        ]),
    ...(industry === null
      ? []
      : [
          {
            filter: `${t("Industry")}: ${industry}`,
            texts: [`industry ${industry}`],
            choice: { ...first, industry: null },
          },
        ]),
    ...(exchange === null
      ? []
      : [
          {
            filter: `${t("Exchange")}: ${translate(exchange)}`,
            texts: [`exchange ${exchange}`],
            choice: { ...first, exchange: null },
          },
        ]),
  ];
}

/** The words of a filter that the service names; its text if the screen has no such filter. */
export const nameFilter = (text: string, choice: Choice, metrics: Metrics | undefined): string =>
  allWithout(choice, metrics).find(({ texts }) => texts.includes(text))?.filter ?? text;

/** How many companies an empty screen has without each of its filters: the one that removes most is the first. */
export function WithoutFilters(props: {
  readonly choice: Choice;
  readonly metrics: Metrics | undefined;
}) {
  const all = allWithout(props.choice, props.metrics);
  const calls = all.map(({ choice }) => {
    const call = callOf(choice);
    return { ...call, args: { ...call.args, limit: 1 } };
  });
  const key = dataKey(`without ${calls.map(({ args }) => queryOf(args)).join(" ")}`);
  const totals = useResource(key, () =>
    Promise.all(calls.map(async (call) => (await callOperation(call)).data.total)),
  );
  // While other filters are loaded, the totals are of earlier ones.
  const known = totals.isLoading ? null : totals.value;
  const shown = all
    .map((one, i) => ({ ...one, total: known?.[i] ?? 0 }))
    .toSorted((a, b) => b.total - a.total);
  return (
    <ul class="without" aria-label={t("Without one filter")}>
      {known !== null &&
        shown.map(({ filter, choice, total }) => (
          <li key={filter}>
            <button
              type="button"
              disabled={total === 0}
              onClick={() =>
                choose({
                  where: joinConditions(choice.conditions) || null,
                  sector: choice.sector,
                  industry: choice.industry,
                  exchange: choice.exchange,
                })
              }
            >
              {t("Without {filter}: {count} companies", { filter, count: formatNumber(total, 0) })}
            </button>
          </li>
        ))}
    </ul>
  );
}
