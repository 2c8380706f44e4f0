import { asIs, type Shown, t } from "#console/app/words.ts";
import { type Call, isSettled, useData } from "#console/app/api.ts";
import { formatDayOfMonth } from "#console/app/format.ts";
import { columnInOneUnit } from "#console/app/one-unit.ts";
import { countryInText } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { recentSymbols } from "#console/app/recent-symbols.ts";
import { settings } from "#console/app/user-settings.ts";
import { isSame } from "#console/app/user-lists.ts";
import { mapCall } from "./windows.ts";

const METRICS = "price,change_percent";

function marketCapIn(currency: string, rows: readonly Row[]): Column<Row> {
  const { title, format } = columnInOneUnit(
    "Market cap",
    rows.map((row) => row["market_cap"]),
    currency,
  );
  return { title, isNumber: true, cell: (row) => format(numberIn(row, "market_cap")) };
}

/** The companies that were opened last, without the list's. */
function useOpened(listed: readonly Subject[]) {
  const opened = recentSymbols().filter((one) => !listed.some((other) => isSame(one, other)));
  const call: Call<"compare_stocks"> = {
    operation: "compare_stocks",
    args: {
      symbols: opened.map((one) => `${one.country}:${one.symbol}`).join(","),
      metrics: METRICS,
      currency: settings.value.currency,
    },
  };
  const answer = useData(opened.length === 0 ? null : call);
  return { calls: opened.length === 0 ? [] : [call], answer };
}

/** Below a short list: the companies that were opened last, then the largest ones of the country, without the list's. */
export function MoreCompanies(props: {
  readonly country: string;
  readonly listed: readonly Subject[];
  /** The number of rows. */
  readonly room: number;
  /** The company, its price and the change of a day. */
  readonly columns: readonly [Column<Row>, Column<Row>, Column<Row>];
}) {
  const { country, listed, room } = props;
  const opened = useOpened(listed);
  // The same call as the map's.
  const largestCall = mapCall(country, ["return_1d"]);
  const largest = useData(largestCall);
  const isReady = opened.calls.length === 0 || isSettled(opened.answer);
  const recent = opened.answer.value ? rowsOf(opened.answer.value.data).slice(0, room) : [];
  // Its head takes the place of a row.
  const rest = recent.length > 0 ? Math.max(0, room - recent.length - 1) : room;
  const ofCountry = t("Largest companies of {country}", { country: countryInText(country) });
  const [company, price, change] = props.columns;
  // The map beside it says why its call failed.
  if (largest.error && !largest.error.lack && !largest.error.isOutage) return null;
  const title = recent.length > 0 || !isReady ? t("Recently opened") : ofCountry;
  const isThere = isReady && largest.isCurrent;
  return (
    <Panel
      title={title}
      class="more-companies"
      calls={[...opened.calls, largestCall]}
      answer={opened.answer.value ?? largest.value}
    >
      <Loaded of={isThere ? largest : { ...largest, value: null }} lines={room}>
        {({ data }) => {
          const { session } = data;
          const others = rowsOf(data)
            .map((row) => ({ ...row, country, change_percent: row["return_1d"] ?? null }))
            .filter(
              (row) =>
                numberIn(row, "market_cap") !== null &&
                ![...listed, ...recent].some(
                  (one) => one["country"] === country && one["symbol"] === textIn(row, "symbol"),
                ),
            )
            .slice(0, rest);
          return (
            <>
              <CompanyTable
                title={title}
                over={t("1 day")}
                rows={recent}
                columns={[company, price, change]}
              />
              {recent.length > 0 && <RateNote rates={opened.answer.value?.data.rates} />}
              {recent.length > 0 && rest > 0 && <h3>{ofCountry}</h3>}
              <CompanyTable
                title={ofCountry}
                over={session ? asIs(formatDayOfMonth(session)) : t("1 day")}
                rows={others}
                columns={[company, marketCapIn(data.currency, others), change]}
              />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** Says that changes include an exchange rate, if there is one. */
export function RateNote({ rates = [] }: { readonly rates: readonly unknown[] | undefined }) {
  const { currency } = settings.value;
  if (rates.length === 0 || currency === undefined) return null;
  return (
    <p class="muted">{t("In {currency}, changes include the exchange rate.", { currency })}</p>
  );
}

function CompanyTable(props: {
  readonly title: string;
  /** What the change is over: `1 day`, or its date. */
  readonly over: Shown;
  readonly rows: readonly Row[];
  /** The company, a figure and the change. */
  readonly columns: readonly [Column<Row>, Column<Row>, Column<Row>];
}) {
  const { title, over, rows, columns } = props;
  const [company, figure, change] = columns;
  if (rows.length === 0) return null;
  return (
    <DataTable
      // A region has another name than the panel around it.
      label={asIs(`${title}, ${over}`)}
      rows={rows}
      keyOf={(row) => `${textIn(row, "country")}:${textIn(row, "symbol")}`}
      columns={[company, figure, { ...change, title: over }]}
    />
  );
}
