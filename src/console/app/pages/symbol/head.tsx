import { nameInLanguage } from "#console/app/company-names.tsx";
import { type Call, useData } from "#console/app/api.ts";
import {
  currencyUnit,
  dateText,
  dayParts,
  formatDate,
  formatText,
  formatTime,
} from "#console/app/format.ts";
import { MoreButton } from "#console/app/parts/more-button.tsx";
import { Change } from "#console/app/parts/change.tsx";
import { FIRST_DATE } from "#console/app/parts/chart-range.ts";
import { COUNTRY_NAMES } from "#console/app/parts/country.tsx";
import { CsvButton } from "#console/app/parts/csv-button.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import type { Subject } from "#console/app/parts/subject.ts";
import { WatchButton } from "#console/app/parts/watch-button.tsx";
import { asIs, languageOfName, t, translate, translateTerm, valueAt } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

type Overview = PayloadOf<"get_stock_overview">;

/** Name, price, change and date, and what one can do with the instrument. */
export function Head(props: {
  readonly subject: Subject;
  readonly type: string | undefined;
  readonly data: Overview | undefined;
}) {
  const { subject, type, data } = props;
  const { sector = "—", industry = "—" } = data?.business_model ?? {};
  const about = [
    valueAt(COUNTRY_NAMES, subject.country) ?? subject.country,
    data?.listing.exchange,
    type,
    sector,
    industry,
  ].filter((one) => one && one !== "—");
  const ofData = data?.overview["Name"] ?? subject.symbol;
  const name = nameInLanguage(subject, ofData);
  const other = [data?.overview["Local name"], ofData].find((one) => one && one !== name);
  const [amount = "", currency = ""] = (data?.overview["Price"] ?? "").split(" ");
  return (
    <div class="symbol-head">
      <PageTitle title={asIs(name)} lang={languageOfName(name, subject.country)}>
        <Actions subject={subject} date={data?.overview["Price date"]} />
      </PageTitle>
      <p class="muted symbol-about">
        <b>{subject.symbol}</b> {/* A text that is replaced moves; a new element does not. */}
        <span key={other}>
          {other !== undefined && (
            <span lang={languageOfName(other, subject.country)}>· {other} </span>
          )}
          {about.map((one) => `· ${translateTerm(translate(one ?? ""))}`).join(" ")}
        </span>
      </p>
      <p class={subject.country === "US" ? "symbol-price" : "symbol-price with-limits"}>
        {data && (
          <>
            <b>{formatText(amount)}</b> <span class="muted">{currencyUnit(currency).trim()}</span>{" "}
            <Change value={data.overview["Chg %"] ?? null} limit={limitOf(data)} />{" "}
            <span class="muted price-date">{priceDate(data)}</span>
            <span class="muted price-limits">{limitsText(data)}</span>
            {/* Last, because it comes later. */}
            {type !== undefined && ON_EXCHANGES.includes(type) && (
              <Session country={subject.country} />
            )}
          </>
        )}
      </p>
    </div>
  );
}

/** `Reference 117,000 · Ceiling 125,100 · Floor 108,900`; empty without limits. */
const limitsText = ({ overview }: Overview) =>
  (["Reference", "Ceiling", "Floor"] as const)
    .flatMap((name) => {
      const [amount = ""] = (overview[`${name} price`] ?? "").split(" ");
      return /^\d/.test(amount) ? `${t(name)} ${formatText(amount)}` : [];
    })
    .join(" · ");

function limitOf({ overview }: Overview) {
  const price = overview["Price"];
  if (price === overview["Ceiling price"]) return "ceiling";
  return price === overview["Floor price"] ? "floor" : undefined;
}

function Actions(props: { readonly subject: Subject; readonly date: string | undefined }) {
  const { country, symbol } = props.subject;
  const reference = `${country}:${symbol}`;
  const prices: Call<"get_stock_price_history"> = {
    operation: "get_stock_price_history",
    args: { country, symbol, from: FIRST_DATE, fields: "ohlcv" },
  };
  const calls = (["get_stock_overview", "get_stock_technicals"] as const).map((operation) => ({
    operation,
    args: { country, symbol },
  }));
  return (
    <div class="panel-actions">
      <WatchButton subject={props.subject} />
      <a class="button" href={`/console/compare?symbols=${encodeURIComponent(reference)}`}>
        {t("Compare")}
      </a>
      <a class="button" href={`/console/alerts?watch=${encodeURIComponent(reference)}`}>
        {t("Alerts")}
      </a>
      <CsvButton
        call={prices}
        file={`${symbol} ${props.date ?? ""}.csv`}
        text={t("Export")}
        title={t("All prices as CSV")}
      />
      <MoreButton
        title={asIs(symbol)}
        text={t("Use in agent")}
        calls={[...calls, prices]}
        first="MCP"
        question={t(
          "Use bourse: is {reference} cheap compared with its own history and with its peers?",
          { reference },
        )}
      />
    </div>
  );
}

function priceDate({ overview }: Overview): string {
  const date = overview["Price date"] ?? "";
  const close = /^\d/.test(date)
    ? t("Close of {date}", { date: formatDate(date) })
    : t("No price yet");
  const delisted = overview["Delisted"];
  return delisted === undefined
    ? close
    : `${close}. ${t("Delisted on {date}.", { date: formatDate(delisted) })}`;
}

/** The types that are traded in the sessions of the exchange; currencies and coins have other hours. */
const ON_EXCHANGES: readonly string[] = ["stock", "reit", "etf", "index"];
/** The usual abbreviations of the exchanges' time zones, which browsers do not have in all languages. */
const ZONES: Readonly<Record<string, string>> = { US: "ET", JP: "JST", VN: "ICT" };
const WORDS = {
  open: "Open until {time}",
  break: "Lunch break until {time}",
  closed: "Next session {time}",
} as const;

/** When the exchange opens or closes next: `Next session Tue 24 Nov, 09:00 JST (01:00 yours)`. */
function Session({ country }: { readonly country: string }) {
  const markets = useData({ operation: "get_markets", args: {} });
  const market = markets.value?.data.countries.find(({ code }) => code === country);
  if (!market) return null;
  const { status, status_until: until, time_zone: timeZone } = market.exchange;
  const at = Date.parse(until);
  const there = `${timeIn(at, timeZone)} ${ZONES[country] ?? timeZone}`;
  const here = timeIn(at);
  const isHere = here === timeIn(at, timeZone);
  const isSameDay = dayIn(at) === dayIn(at, timeZone);
  const yours = t("{time} yours", { time: isSameDay ? formatTime(at) : here });
  return (
    <time class="muted symbol-session" dateTime={until}>
      {t(WORDS[status], { time: isHere ? there : `${there} (${yours})` })}
    </time>
  );
}

/** The day of an instant, in the reader's time zone by default. @param at UTC milliseconds */
const dayIn = (at: number, timeZone?: string) =>
  dateText(at, { weekday: "short", ...dayParts(), ...(timeZone !== undefined && { timeZone }) });

/** The day and the time of an instant: `Tue 24 Nov, 09:00`. @param at UTC milliseconds */
const timeIn = (at: number, timeZone?: string) =>
  dateText(at, {
    weekday: "short",
    ...dayParts(),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(timeZone !== undefined && { timeZone }),
  });
