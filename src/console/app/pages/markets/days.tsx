import { useEffect, useState } from "preact/hooks";
import { type Call, useData } from "#console/app/api.ts";
import { formatDay, MISSING } from "#console/app/format.ts";
import { INDICES } from "#console/app/parts/country.tsx";
import { rowsOf } from "#console/app/parts/rows.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { place } from "#console/app/router.ts";
import { CHANGE, DAY, mapCall, SESSIONS, type Window } from "./windows.ts";
import { INDEX_LEVELS } from "./cards.tsx";

const EARLIER = SESSIONS.slice(1).map(({ metric }) => metric);

/** The calls for the earlier sessions of a country: the dates of its index, and their changes. */
export const daysCalls = (country: string) => {
  const args = { country, symbol: INDICES[country], limit: SESSIONS.length };
  const dates: Call<"get_stock_price_history"> = { operation: "get_stock_price_history", args };
  return [INDEX_LEVELS, dates, mapCall(country, EARLIER)] as const;
};

/** The sessions before the newest one, the last one first, with the changes of the companies. */
interface EarlierDays {
  /** As the metrics of `SESSIONS` count them; empty if they are unknown. */
  readonly dates: readonly string[];
  readonly changes: PayloadOf<"screen_stocks"> | null;
}

/** The session that the map shows. */
export interface ShownDay {
  /** True if the address has a choice of sessions: the colours are the changes of a day. */
  readonly hasDays: boolean;
  /** The earlier sessions; null until they are wanted and known. */
  readonly earlier: EarlierDays | null;
  /** The earlier session that is shown, with the changes of the companies; null for the newest one. */
  readonly chosen: {
    readonly date: string;
    /** How many sessions before the newest one it is. */
    readonly sessions: number;
    readonly window: Window;
    readonly changes: PayloadOf<"screen_stocks">;
  } | null;
  /** True while it is not known which session the address means. */
  readonly isLoading: boolean;
}

/**
 * The session that the address chooses.
 *
 * @param newest the newest session of the companies; null until it is known
 * @param isWanted true if the earlier sessions are wanted without a choice too
 */
export function useShownDay(country: string, newest: string | null, isWanted = false): ShownDay {
  const { query } = place.value;
  const date = query.get("day") ?? "";
  const hasDays = (query.get("window") ?? DAY) === DAY && (query.get("color") ?? CHANGE) === CHANGE;
  const isChosen = hasDays && date !== "";
  const earlier = useEarlierDays(country, newest, isChosen || (hasDays && isWanted));
  const sessions = (earlier?.dates.indexOf(date) ?? -1) + 1;
  const window = SESSIONS[sessions];
  const changes = earlier?.changes;
  const isEarlier = isChosen && changes && window && sessions > 0;
  return {
    hasDays,
    earlier,
    chosen: isEarlier ? { date, sessions, window, changes } : null,
    isLoading: isChosen && earlier === null,
  };
}

/** Loads the sessions before the newest one of a country's companies; null until they are there. */
function useEarlierDays(
  country: string,
  newest: string | null,
  isWanted: boolean,
): EarlierDays | null {
  const [levels, history, companies] = daysCalls(country);
  const level = useData(isWanted ? levels : null);
  const dates = useData(isWanted ? history : null);
  const changes = useData(isWanted ? companies : null);
  if (level.error || dates.error || changes.error) return { dates: [], changes: null };
  if (!level.value || !dates.isCurrent || !dates.value || !changes.isCurrent || !changes.value)
    return null;
  const index = rowsOf(level.value.data).find((row) => row["country"] === country);
  // The metrics count from the newest session of the index.
  const isSame = newest !== null && index?.["to_session"] === newest;
  const earlier = isSame ? (dates.value.data.dates ?? []).filter((date) => date < newest) : [];
  return {
    dates: earlier.toReversed().slice(0, EARLIER.length),
    changes: changes.value.data,
  };
}

/** The companies with the changes of an earlier session. */
export function withChanges(
  screen: PayloadOf<"screen_stocks">,
  changes: PayloadOf<"screen_stocks">,
  metric: string,
): PayloadOf<"screen_stocks"> {
  const found = new Map(rowsOf(changes).map((row) => [row["symbol"], row[metric] ?? null]));
  const at = screen.columns.indexOf("symbol");
  return {
    ...screen,
    columns: [...screen.columns, metric],
    rows: screen.rows.map((row) => [...row, found.get(row[at]) ?? null]),
  };
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
  const last = earlier?.length ?? SESSIONS.length - 1;
  // What is chosen before the dates are known, in sessions before the newest one.
  const [wanted, setWanted] = useState<number | null>(null);
  const choose = (sessions: number | null) => {
    setWanted(earlier === null ? sessions : null);
    if (earlier !== null && sessions !== null) onChange(earlier[sessions - 1] ?? null);
  };
  useEffect(() => choose(wanted), [earlier]);
  const text = wanted === null ? formatDay(earlier?.[shown - 1] ?? newest) : MISSING;
  return (
    <label class="map-days">
      {last > 0 && (
        <>
          {t("Session")} <b>{text}</b>
          <input
            type="range"
            list="sessions"
            min={0}
            max={last}
            value={last - (wanted ?? shown)}
            aria-label={t("Session")}
            aria-valuetext={text}
            onPointerEnter={onReach}
            onFocus={onReach}
            onInput={({ currentTarget }) => choose(last - Number(currentTarget.value))}
          />
          <datalist id="sessions">
            {Array.from({ length: last + 1 }, (_, i) => (
              <option key={i} value={i} />
            ))}
          </datalist>
        </>
      )}
    </label>
  );
}
