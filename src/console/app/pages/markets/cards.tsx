import { CompanyName } from "#console/app/company-names.tsx";
import { YearLine } from "#console/app/parts/year-line.tsx";
import { homeCountry } from "#console/app/user-settings.ts";
import { t } from "#console/app/words.ts";
import { useEffect } from "preact/hooks";
import {
  type AnswerOf,
  type ApiError,
  type Call,
  type Resource,
  useData,
} from "#console/app/api.ts";
import {
  dateText,
  formatDay,
  formatDayOfMonth,
  formatNumber,
  MISSING,
} from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import {
  countryName,
  CountryVerdict,
  INDICES,
  MARKETS,
  symbolPath,
  valuationCall,
} from "#console/app/parts/country.tsx";
import { MoreButton } from "#console/app/parts/more-button.tsx";
import { Loaded, Missing } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { PayloadOf } from "#operations/index.ts";
import { sectorsCall } from "./windows.ts";
import { useTime } from "#console/app/parts/timer.ts";

/** The indices beside the primary ones. */
const OTHER_INDICES = [
  "JP:^TOPX",
  "VN:VN30",
  "VN:HNXINDEX",
  "VN:UPCOMINDEX",
  "US:^DJI",
  "US:^IXIC",
];

/** All indices in one call, the primary ones first. */
const INDEX_LEVELS: Call<"compare_stocks"> = {
  operation: "compare_stocks",
  args: {
    symbols: [
      ...Object.entries(INDICES).map(([country, symbol]) => `${country}:${symbol}`),
      ...OTHER_INDICES,
    ].join(","),
    metrics: "price,change_percent,return_1y",
  },
};

/** The three countries, each in a strip of two or three lines, and the other indices in a line. */
export function MarketCards() {
  const markets = useData(MARKETS);
  const levels = useData(INDEX_LEVELS);
  const now = useTime(CLOCK_MS);
  return (
    <>
      <div class="market-cards">
        {Object.keys(INDICES).map((code) => (
          <MarketCard key={code} code={code} markets={markets} levels={levels} now={now} />
        ))}
      </div>
      <nav class="other-indices" aria-label={t("Other indices")}>
        {levels.value &&
          rowsOf(levels.value.data)
            .filter((row) => textIn(row, "symbol") !== INDICES[textIn(row, "country")])
            .toSorted((a, b) => placeOf(a) - placeOf(b))
            .map((row) => <OtherIndex key={row["symbol"]} row={row} />)}
      </nav>
    </>
  );
}

/** The reader's country comes first. */
const placeOf = (row: Row) => Number(row["country"] !== homeCountry());

function OtherIndex({ row }: { readonly row: Row }) {
  return (
    <a href={symbolPath(textIn(row, "country"), textIn(row, "symbol"))}>
      <CompanyName row={row} class="" />{" "}
      <span class="number">{formatNumber(numberIn(row, "price"))}</span>{" "}
      <Change value={numberIn(row, "change_percent")} />
    </a>
  );
}

function MarketCard(props: {
  readonly code: string;
  readonly markets: Resource<AnswerOf<"get_markets">>;
  readonly levels: Resource<AnswerOf<"compare_stocks">>;
  /** UTC milliseconds. */
  readonly now: number;
}) {
  const { code, markets, levels, now } = props;
  const history = historyCall(code);
  // The first map has the sectors of the home country.
  const valuation = code === homeCountry() ? sectorsCall(code) : valuationCall(code);
  const row =
    levels.value && rowsOf(levels.value.data).find((one) => one["symbol"] === INDICES[code]);
  const title = countryName(code);
  return (
    <section class="panel market-card" aria-label={title}>
      <div class="market-name">
        <h2>{title}</h2>
        {row && (
          <a href={symbolPath(code, textIn(row, "symbol"))}>
            <CompanyName row={row} class="" />
          </a>
        )}
      </div>
      <div class="level">
        <Loaded of={levels} lines={1}>
          {() => <Level row={row ?? undefined} />}
        </Loaded>
      </div>
      <YearLine call={history} change={row && numberIn(row, "return_1y")} />
      <div class="market-year muted">
        {row && (
          <>
            {t("1 year")} <Change value={numberIn(row, "return_1y")} />
          </>
        )}
      </div>
      <div class="market-facts">
        <Exchange
          market={markets.value?.data.countries.find((one) => one.code === code)}
          error={markets.error}
          now={now}
          reload={markets.reload}
        />
        <Valuation country={code} call={valuation} />
      </div>
      <MoreButton
        title={title}
        calls={[MARKETS, INDEX_LEVELS, history, valuation]}
        answer={levels.value}
      />
    </section>
  );
}

function historyCall(country: string): Call<"get_stock_price_history"> {
  // Weeks are as fine as the line is wide.
  const args = { country, symbol: INDICES[country], range: "1y", interval: "1wk" };
  return { operation: "get_stock_price_history", args };
}

/** The newest close of the index, its change and its day. */
function Level({ row }: { readonly row: Row | undefined }) {
  if (!row) return <p class="muted">{t("No price of the index is stored.")}</p>;
  const session = textIn(row, "to_session");
  return (
    <>
      <b class="level-price number">{formatNumber(numberIn(row, "price"))}</b>
      <span>
        <Change value={numberIn(row, "change_percent")} />{" "}
        {session !== "" && (
          <time class="muted" dateTime={session} title={formatDay(session)}>
            {formatDayOfMonth(session)}
          </time>
        )}
      </span>
    </>
  );
}

/** The P/E of the index and its verdict. */
function Valuation(props: { readonly country: string; readonly call: Call<"get_sectors"> }) {
  const { country, call } = props;
  const { value, error } = useData(call);
  const data = value?.data;
  return (
    // A text that is replaced moves; a new element does not.
    <div key={data ? "pe" : "no pe"}>
      <span class="muted">{t("P/E")}</span>{" "}
      {error ? (
        <Missing error={error} />
      ) : (
        <span class="number">{formatNumber(data?.country_pe)}</span>
      )}{" "}
      <CountryVerdict country={country} data={data} />
    </div>
  );
}

function Exchange(props: {
  readonly market: PayloadOf<"get_markets">["countries"][number] | undefined;
  readonly error: ApiError | null;
  /** UTC milliseconds. */
  readonly now: number;
  readonly reload: () => void;
}) {
  const { market, error, now, reload } = props;
  const until = market ? Date.parse(market.exchange.status_until) : Infinity;
  // The service answers from a memory of 30 seconds, so the first answer can still be the old one.
  const round = Math.max(0, Math.ceil((now - until) / RELOAD_MS));
  useEffect(() => {
    if (round > 0) reload();
  }, [round]);
  const zone = market?.exchange.time_zone;
  return (
    <div>
      {market && zone ? (
        <>
          <span class={`exchange ${market.exchange.status}`}>
            {t(STATUS_WORDS[market.exchange.status])}
          </span>{" "}
          <time
            class="muted"
            dateTime={market.exchange.status_until}
            title={t("{time} in {zone}", { time: weekTime(until, now, zone), zone })}
          >
            {t("until {time}", { time: weekTime(until, now) })}
          </time>
        </>
      ) : error === null ? (
        MISSING
      ) : (
        <Missing error={error} />
      )}
    </div>
  );
}

const STATUS_WORDS = { open: "Open", break: "Lunch break", closed: "Closed" } as const;

/** A time of the reader's or another zone, with the weekday if that is not the one of `now`: `Mon 09:30`. */
function weekTime(at: number, now: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const dayOf = (ms: number) => dateText(ms, { ...zone, weekday: "short", day: "numeric" });
  return dateText(at, {
    ...zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(dayOf(at) !== dayOf(now) && { weekday: "short" }),
  });
}

const CLOCK_MS = 5_000;
/** How often a changed status is asked for. */
const RELOAD_MS = 30_000;
