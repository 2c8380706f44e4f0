import { useEffect, useState } from "preact/hooks";
import { type Call, useData } from "#console/app/api.ts";
import { formatDay, MISSING } from "#console/app/format.ts";
import { INDICES } from "#console/app/parts/country.tsx";
import { rowsOf, textIn } from "#console/app/parts/rows.ts";
import { t } from "#console/app/words.ts";
import { DAYS } from "./market-windows.ts";
import { LEVELS } from "./markets-cards.tsx";

/** The calls for the sessions of a country's index. */
export const daysCalls = (country: string) => {
  const args = { country, symbol: INDICES[country], limit: DAYS.length };
  const history: Call<"get_stock_price_history"> = { operation: "get_stock_price_history", args };
  return [LEVELS, history] as const;
};

/**
 * The dates of the sessions before the newest one of a country's index, the last one first, as the metrics of `DAYS`
 * count them; null while they are loaded, empty if they are unknown.
 */
export function useEarlierDays(country: string, isWanted: boolean): readonly string[] | null {
  const [levelOf, historyOf] = daysCalls(country);
  const level = useData(isWanted ? levelOf : null);
  const history = useData(isWanted ? historyOf : null);
  const index =
    level.value && rowsOf(level.value.data).find((row) => textIn(row, "country") === country);
  const { name, dates = [] } = history.value?.data ?? {};
  // While the ones of another country are loaded, the values are those of before.
  if (!index || textIn(index, "name") !== name) return level.error || history.error ? [] : null;
  const newest = textIn(index, "to_session");
  return dates
    .filter((date) => date < newest)
    .toReversed()
    .slice(0, DAYS.length - 1);
}

/** A slider over the newest sessions, the last one at the right. */
export function DaySlider(props: {
  /** The newest session. */
  readonly newest: string;
  /** Those before it, the last one first; null until they are known. */
  readonly earlier: readonly string[] | null;
  /** How many sessions before the newest one is shown. */
  readonly shown: number;
  readonly onChange: (day: string | null) => void;
  /** The pointer or the focus has reached it. */
  readonly onReach: () => void;
}) {
  const { newest, earlier, shown, onChange, onReach } = props;
  const last = earlier?.length ?? DAYS.length - 1;
  // What is chosen before the dates are known, in sessions before the newest one.
  const [wanted, setWanted] = useState<number | null>(null);
  useEffect(() => {
    if (earlier === null || wanted === null) return;
    setWanted(null);
    onChange(earlier[wanted - 1] ?? null);
  }, [earlier, wanted]);
  const text = wanted === null ? formatDay(earlier?.[shown - 1] ?? newest) : MISSING;
  return (
    <label class="map-days">
      {last > 0 && (
        <>
          <input
            type="range"
            min={0}
            max={last}
            value={last - (wanted ?? shown)}
            aria-label={t("Session")}
            aria-valuetext={text}
            onPointerEnter={onReach}
            onFocus={onReach}
            onInput={({ currentTarget }) => setWanted(last - Number(currentTarget.value))}
          />
          <span>{text}</span>
        </>
      )}
    </label>
  );
}
