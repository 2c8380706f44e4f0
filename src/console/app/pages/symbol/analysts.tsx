import { type Call, useData } from "#console/app/api.ts";
import {
  currencyUnit,
  formatDate,
  formatMonth,
  formatName,
  formatPerShare,
  formatPrice,
  formatPlainPercent,
  MISSING,
} from "#console/app/format.ts";
import { columnInOneUnit, formatInOneUnit } from "#console/app/one-unit.ts";
import { Change } from "#console/app/parts/change.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { useMeanings } from "#console/app/parts/meanings.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import type { Subject } from "#console/app/parts/subject.ts";
import { Tip } from "#console/app/parts/tip.tsx";
import { type Sentence, t, translate } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { EarningsPanel } from "./earnings.tsx";
import type { TabProps } from "./tab-props.ts";

const MEANINGS = {
  targets:
    "What analysts expect the share to cost, usually in a year. The bar goes from the lowest to the highest target.",
  estimates:
    "What analysts expect the company to report: the mean, and below it the lowest and the highest. EPS: earnings per share.",
  company:
    "What the company itself expects of the fiscal year, and how it changed that. Ordinary profit is before tax and extraordinary items. EPS: earnings per share.",
  actions: "What firms changed: their rating or their price target.",
  records:
    "Targets older than a year. Reached: how many of them the price reached within a year. Mean return: how it changed in that year on average.",
} as const satisfies Readonly<Record<string, Sentence>>;

const COUNTS = ["strong_buy", "buy", "hold", "sell", "strong_sell"] as const;

type Forecast = PayloadOf<"get_stock_forecast">;
/** The rows of a list of the forecast. */
type Rows<List extends keyof Forecast> = NonNullable<Forecast[List]>;

/** A name of the API as words in the reader's language: `strong_buy` as `Strong buy`. */
const nameOf = (name: string) => translate(formatName(name));
/** What analysts vote. The mean of the votes calls a hold neutral. */
const voteName = (name: string) => (name === "hold" ? t("Neutral (hold)") : nameOf(name));

const forecastCall = (subject: Subject): Call<"get_stock_forecast"> => ({
  operation: "get_stock_forecast",
  args: { ...subject, limit: 8 },
});

/** What analysts expect: targets and ratings, estimates, and their recent actions. */
function AnalystPanels({ subject }: { readonly subject: Subject }) {
  const call = forecastCall(subject);
  const forecast = useData(call);
  const { data, missing } = forecast.value ?? {};
  const { estimates = [], actions = [], track_record: records = [] } = data ?? {};
  const panel = { calls: [call], answer: forecast.value };
  if (data && data.rating === null && !data.price_target && estimates.length === 0) {
    return (
      <Panel title="Analysts" {...panel}>
        <NoRecord>
          {missing ? (
            <Tip text={missing}>{t("Not given by sources")}</Tip>
          ) : (
            t("No analyst covers this company.")
          )}
        </NoRecord>
      </Panel>
    );
  }
  return (
    <>
      <Panel title="Price targets" meaning={t(MEANINGS.targets)} {...panel}>
        <div class="targets-frame">
          <Loaded of={forecast} lines={6}>
            {({ data: found }) => <Targets forecast={found} />}
          </Loaded>
        </div>
      </Panel>
      <Panel title="Analyst ratings" {...panel}>
        <Loaded of={forecast} lines={6}>
          {({ data: found }) => (
            <RatingTrend months={found.rating_trend ?? []} rating={found.rating} />
          )}
        </Loaded>
      </Panel>
      <Panel title="Estimates" meaning={t(MEANINGS.estimates)} {...panel}>
        <Loaded of={forecast}>
          {({ data: { currency } }) => <Estimates rows={estimates} currency={currency} />}
        </Loaded>
      </Panel>
      <Panel title="Recent actions" meaning={t(MEANINGS.actions)} {...panel}>
        <Loaded of={forecast} lines={8}>
          {({ data: { currency } }) => <Actions rows={actions} currency={currency} />}
        </Loaded>
      </Panel>
      {records.length > 0 && (
        <Panel title="Track record of targets" meaning={t(MEANINGS.records)} {...panel}>
          <TrackRecords rows={records} />
        </Panel>
      )}
    </>
  );
}

/** The range of the targets with the price on it. */
function Targets({ forecast }: { readonly forecast: Forecast }) {
  const meaningOf = useMeanings();
  const { price_target: target, price, currency } = forecast;
  if (!target) return <NoRecord>{t("No analyst has a price target.")}</NoRecord>;
  const { low, mean, median, high, upside_percent: upside } = target;
  return (
    <>
      {low !== null && high !== null && price !== null && (
        <Range low={low} high={high} mean={mean} price={price} currency={currency} />
      )}
      <Figures
        rows={[
          [translate(`Price, ${currency}`), formatPrice(price, currency)],
          ["Lowest target", formatPrice(low, currency)],
          [
            "Median target",
            formatPrice(median, currency),
            t("Half of the targets are below it, half above."),
          ],
          ["Mean target", formatPrice(mean, currency), meaningOf("target_price")],
          ["Highest target", formatPrice(high, currency)],
          ["Analysts", target.analysts, meaningOf("analyst_count")],
          ["Mean target to price", <Change value={upside} />, meaningOf("target_upside")],
        ]}
      />
    </>
  );
}

function Range(props: {
  readonly low: number;
  readonly high: number;
  readonly mean: number | null;
  readonly price: number;
  readonly currency: string;
}) {
  const { low, high, mean, price, currency } = props;
  const first = Math.min(low, price);
  const width = Math.max(high, price) - first || 1;
  const at = (value: number) => `${(100 * (value - first)) / width}%`;
  const label = t("Targets from {low} to {high}, mean {mean}; price {price}", {
    low: formatPrice(low, currency),
    high: formatPrice(high, currency),
    mean: formatPrice(mean, currency),
    price: formatPrice(price, currency),
  });
  return (
    <div class="target-range" role="img" aria-label={label}>
      <Mark
        text={t("Price {price}", { price: formatPrice(price, currency) })}
        place="above"
        share={(price - first) / width}
      />
      <div class="target-track">
        <span
          class="target-targets"
          style={{ left: at(low), width: `${(100 * (high - low)) / width}%` }}
        />
        {mean !== null && <span class="target-mean" style={{ left: at(mean) }} />}
        <span class="target-price" style={{ left: at(price) }} />
      </div>
      {mean !== null && (
        <Mark
          text={t("Mean {price}", { price: formatPrice(mean, currency) })}
          place="below"
          share={(mean - first) / width}
        />
      )}
    </div>
  );
}

/** A text at a share of the range's width, which does not leave the range. */
function Mark(props: { readonly text: string; readonly place: string; readonly share: number }) {
  const percent = `${100 * props.share}%`;
  return (
    <span
      class={`target-mark ${props.place}`}
      style={{ left: percent, transform: `translateX(-${percent})` }}
    >
      {props.text}
    </span>
  );
}

/** The numbers of ratings of each month as stacked bars. */
function RatingTrend({
  months,
  rating,
}: {
  readonly months: Rows<"rating_trend">;
  readonly rating: string | null;
}) {
  if (months.length === 0) return <NoRecord>{t("No analyst has a rating.")}</NoRecord>;
  return (
    <>
      <p>
        {t("Mean rating")}: <b>{translate(rating ?? MISSING)}</b>
      </p>
      <p class="muted">
        {t(
          "Each rating counts from 1, Strong buy, to 5, Strong sell. A mean up to 1.5 is Strong buy, up to 2.5 Buy, up to 3.5 Neutral (hold), up to 4.5 Sell.",
        )}
      </p>
      <ul class="rating-trend" aria-label={t("Ratings by month")}>
        {months.map((month) => (
          <li key={month.month}>
            <span class="muted">{formatMonth(month.month)}</span>
            <span
              class="rating-bar"
              role="img"
              aria-label={COUNTS.map((name) => `${voteName(name)} ${month[name]}`).join(", ")}
            >
              {COUNTS.map((name, i) =>
                month[name] === 0 ? null : (
                  <span
                    key={name}
                    class={`rating-${5 - i}`}
                    style={{ flexGrow: month[name] }}
                    title={`${voteName(name)}: ${month[name]}`}
                  >
                    {month[name]}
                  </span>
                ),
              )}
            </span>
          </li>
        ))}
      </ul>
      <p class="chart-key muted">
        {COUNTS.map((name, i) => (
          <span key={name}>
            <span class={`swatch rating-${5 - i}`} aria-hidden="true" /> {voteName(name)}
          </span>
        ))}
      </p>
    </>
  );
}

function Estimates(props: { readonly rows: Rows<"estimates">; readonly currency: string }) {
  const { rows, currency } = props;
  if (rows.length === 0) return <NoRecord>{t("No estimate is known.")}</NoRecord>;
  // The year before the next one is not over.
  const year = rows.find(({ period }) => period === "current_year");
  const revenues = columnInOneUnit(
    "Revenue",
    rows.map(({ revenue }) => revenue.average),
    "",
  );
  return (
    <DataTable
      label="Estimates by period"
      rows={rows}
      keyOf={({ period }) => period}
      columns={[
        {
          title: "Period to",
          cell: ({ period, period_end: end }) => (
            <>
              {nameOf(period)} <br />
              <span class="muted">{formatDate(end)}</span>
            </>
          ),
        },
        {
          title: "EPS",
          isNumber: true,
          cell: ({ eps }) => (
            <>
              {formatPerShare(eps.average, currency)} <br />
              <span class="muted">
                {formatPerShare(eps.low, currency)} – {formatPerShare(eps.high, currency)}
              </span>
            </>
          ),
        },
        {
          title: "A year before",
          isNumber: true,
          isExtra: true,
          cell: ({ period, eps_year_ago: reported }) =>
            period === "next_year" && year ? (
              <>
                {formatPerShare(year.eps.average, currency)} <br />
                <span class="muted">{t("estimate")}</span>
              </>
            ) : (
              formatPerShare(reported, currency)
            ),
        },
        {
          title: revenues.title,
          isNumber: true,
          cell: ({ revenue }) => revenues.format(revenue.average),
        },
        { title: "Analysts", isNumber: true, isExtra: true, cell: ({ eps }) => eps.analysts },
      ]}
    />
  );
}

/** The items of a company's forecast in the order of its own reports. */
const OWN_ITEMS = [
  ["Revenue", "revenue"],
  ["Operating income", "operating_profit"],
  ["Ordinary profit", "ordinary_profit"],
  ["Net income", "net_profit"],
  ["EPS", "eps"],
  ["Dividend per share", "dividend_per_share"],
] as const;

/** The company's own forecasts, which in Japan count more than analysts' estimates. */
function CompanyForecasts({ subject }: { readonly subject: Subject }) {
  const call = forecastCall(subject);
  const answer = useData(call).value;
  const { company_forecast: forecasts = [], currency = "" } = answer?.data ?? {};
  if (forecasts.length === 0) return null;
  const items = OWN_ITEMS.map(([title, name]) => ({
    title,
    values: forecasts.map((one) => one[name]),
    isPerShare: name === "eps" || name === "dividend_per_share",
  })).filter(({ values }) => values.some((value) => value !== null));
  const amounts = formatInOneUnit(
    items.flatMap(({ isPerShare, values }) => (isPerShare ? [] : values)),
    currency,
  );
  return (
    <Panel title="Company forecast" meaning={t(MEANINGS.company)} calls={[call]} answer={answer}>
      <div class="table-frame pinned" tabIndex={0} role="region" aria-label={t("Figures")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("Announced")}</th>
              {forecasts.map(({ period_end: end, announced_on: date, revision }) => (
                <th key={end + date} scope="col" class="number">
                  <time dateTime={date}>{formatDate(date)}</time>
                  <br />
                  <span class="muted">
                    {revision === "raised" && t("Forecast raised")}
                    {revision === "lowered" && t("Forecast lowered")}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{t("Period to")}</th>
              {forecasts.map(({ period_end: end, announced_on: date }) => (
                <td key={end + date} class="number">
                  {formatDate(end)}
                </td>
              ))}
            </tr>
            {items.map(({ title, values, isPerShare }) => {
              const format = isPerShare
                ? (value: number | null) => formatPerShare(value, currency)
                : amounts.format;
              const unit = isPerShare ? currencyUnit(currency).trim() : amounts.unit;
              return (
                <tr key={title}>
                  <th scope="row">{t("{figure}, {unit}", { figure: t(title), unit })}</th>
                  {values.map((value, i) => (
                    <td key={i} class="number">
                      {format(value)}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Actions(props: { readonly rows: Rows<"actions">; readonly currency: string }) {
  if (props.rows.length === 0) return <NoRecord>{t("No action is known.")}</NoRecord>;
  return (
    <DataTable
      label="Actions by date"
      rows={props.rows}
      keyOf={({ date, firm }) => date + firm}
      columns={[
        {
          title: "Date",
          cell: ({ date }) => <time dateTime={date}>{formatDate(date)}</time>,
          sortBy: ({ date }) => date,
        },
        { title: "Firm", cell: ({ firm }) => firm, sortBy: ({ firm }) => firm },
        {
          title: "Rating",
          cell: ({ action, to_grade: grade }) =>
            grade ? `${nameOf(action)}: ${translate(grade)}` : nameOf(action),
        },
        {
          title: translate(`Target, ${props.currency}`),
          isNumber: true,
          cell: (row) => formatPrice(row.price_target, props.currency),
          sortBy: (row) => row.price_target,
        },
      ]}
    />
  );
}

function TrackRecords({ rows }: { readonly rows: Rows<"track_record"> }) {
  return (
    <DataTable
      label="Track record by firm"
      rows={rows}
      keyOf={({ firm }) => firm}
      columns={[
        { title: "Firm", cell: ({ firm }) => firm, sortBy: ({ firm }) => firm },
        {
          title: "Targets",
          isNumber: true,
          cell: (row) => row.targets,
          sortBy: (row) => row.targets,
        },
        {
          title: "Reached",
          isNumber: true,
          cell: (row) => formatPlainPercent(row.hit_percent, 0),
          sortBy: (row) => row.hit_percent,
        },
        {
          title: "Mean return, 1Y",
          isNumber: true,
          cell: (row) => <Change value={row.average_return_percent} />,
          sortBy: (row) => row.average_return_percent,
        },
      ]}
    />
  );
}

/** The next report and what analysts expect. */
export function ForecastTab({ subject }: TabProps) {
  const { estimates = [] } = useData(forecastCall(subject)).value?.data ?? {};
  // The quarter that is reported next.
  const quarter = estimates.find(({ period }) => period === "current_quarter");
  return (
    <div class="columns wide">
      {subject.country === "US" && (
        <EarningsPanel symbol={subject.symbol} quarterEnd={quarter?.period_end ?? ""} />
      )}
      <CompanyForecasts subject={subject} />
      <AnalystPanels subject={subject} />
    </div>
  );
}
