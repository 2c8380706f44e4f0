import { callOperation, dataKey, queryOf, useResource } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import type { Vocabulary } from "#console/app/parts/metrics.tsx";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { t, translate } from "#console/app/words.ts";
import { callOf, type Choice, choose } from "./screen-choice.ts";
import { describeBounds, filtersOf, joinConditions } from "./screen-conditions.ts";
import { describeCondition } from "./screen-filters.tsx";

type Metrics = Vocabulary["metrics"];

/** A screen without one of its filters. */
interface Without {
  /** The filter that it lacks, in words. */
  readonly filter: string;
  readonly choice: Choice;
}

/** Each screen without one filter, its cursor and its page. */
function allWithout(choice: Choice, metrics: Metrics | undefined): Without[] {
  const { conditions, sector, industry } = choice;
  const first = { ...choice, cursor: null, page: 1 };
  return [
    ...filtersOf(conditions).map(({ texts, bounds }) => {
      const { title = bounds?.metric ?? "", unit = "" } = metrics?.get(bounds?.metric ?? "") ?? {};
      return {
        filter: bounds
          ? describeBounds(bounds, { title: translate(title), unit })
          : describeCondition(texts.join(","), metrics ?? new Map()),
        choice: { ...first, conditions: conditions.filter((one) => !texts.includes(one)) },
      };
    }),
    ...(sector === null
      ? []
      : [{ filter: `${t("Sector")}: ${classNameOf(sector)}`, choice: { ...first, sector: null } }]),
    ...(industry === null
      ? []
      : [{ filter: `${t("Industry")}: ${industry}`, choice: { ...first, industry: null } }]),
  ];
}

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
