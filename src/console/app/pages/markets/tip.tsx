import { nameInLanguage } from "#console/app/company-names.tsx";
import type { ComponentChildren } from "preact";
import { useData } from "#console/app/api.ts";
import { currencyUnit, formatPrice, formatShort } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { useLater } from "#console/app/parts/later.ts";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { YearLine } from "#console/app/parts/year-line.tsx";
import { t } from "#console/app/words.ts";

/** A company of the map. */
export interface Company {
  readonly symbol: string;
  readonly name: string;
  readonly sector: string;
  readonly industry: string;
  readonly marketCap: number;
  /** What colours its tile, in percent or a multiple; null if unknown. */
  readonly figure: number | null;
}

/** The line of a company that the pointer passes is not loaded. */
const REST_MS = 150;
const PEERS = 3;

/** A company of the map at the pointer: figure, market cap, price, the line of a year and its largest peers. */
export function MapTip(props: {
  readonly company: Company;
  readonly companies: readonly Company[];
  readonly country: string;
  readonly currency: string;
  readonly figureOf: (company: Company) => ComponentChildren;
}) {
  const { company, country, currency, figureOf } = props;
  const { symbol, name, industry, marketCap } = company;
  const rested = useLater<string | null>(symbol, REST_MS, null);
  const peers = props.companies
    .filter((one) => one.industry === industry && one.symbol !== symbol)
    .toSorted((a, b) => b.marketCap - a.marketCap)
    .slice(0, PEERS);
  return (
    <>
      <b>
        {symbol} {nameInLanguage({ country, symbol }, name)}
      </b>
      <div>
        {figureOf(company)} · {formatShort(marketCap)}
        {currencyUnit(currency)}
      </div>
      {rested === symbol ? (
        <Year key={symbol} country={country} symbol={symbol} />
      ) : (
        <>
          <div class="year-line" />
          <div>{"\u00a0"}</div>
        </>
      )}
      <div class="muted">{classNameOf(industry)}</div>
      {peers.map((peer) => (
        <div key={peer.symbol} class="peer">
          <span>{peer.symbol}</span> <span>{figureOf(peer)}</span>
        </div>
      ))}
    </>
  );
}

/** The line of a year, with the price at its end and its return. */
function Year({ country, symbol }: { readonly country: string; readonly symbol: string }) {
  const figures = useData({
    operation: "compare_stocks",
    args: { symbols: `${country}:${symbol}`, metrics: "price,return_1y" },
  });
  const row = figures.value && rowsOf(figures.value.data)[0];
  const change = row ? numberIn(row, "return_1y") : undefined;
  return (
    <>
      <YearLine
        call={{ operation: "get_stock_price_history", args: { country, symbol, range: "1y" } }}
        change={change}
      />
      <div>
        {row ? (
          <>
            {formatPrice(numberIn(row, "price"), textIn(row, "currency"))}{" "}
            <span class="muted">{t("1 year")}</span> <Change value={numberIn(row, "return_1y")} />
          </>
        ) : (
          "\u00a0"
        )}
      </div>
    </>
  );
}
