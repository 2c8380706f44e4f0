import { CompanyName } from "#console/app/company-names.tsx";
import { type Caption, t, translate, translateTerm } from "#console/app/words.ts";
import { type Call, queryOf, useData } from "#console/app/api.ts";
import { Change } from "#console/app/parts/change.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { formatNumber, formatPlainPercent, MISSING } from "#console/app/format.ts";
import { columnInOneUnit } from "#console/app/one-unit.ts";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import type { PayloadOf } from "#operations/index.ts";

type Business = PayloadOf<"get_stock_overview">["business_model"];

const METRICS = "market_cap,pe,dividend_yield,return_1y";
/** The columns of the same companies in the screener. */
const COLUMNS = `price,${METRICS},pb,ev_ebitda,roe,net_margin,revenue_growth,target_upside`;

/** The largest companies of the same industry and country, or of the sector if the industry has no other company. */
export function PeersPanel(props: {
  readonly subject: Subject;
  /** The names of the sector and the industry; undefined while they are loaded. */
  readonly business: Pick<Business, "sector" | "industry"> | undefined;
}) {
  const { subject, business } = props;
  const { country } = subject;
  const isKnown = business !== undefined && business.industry !== MISSING;
  const callOf = (group: { industry: string } | { sector: string }): Call<"screen_stocks"> => ({
    operation: "screen_stocks",
    args: { country, ...group, metrics: METRICS, limit: 7 },
  });
  const { sector = "", industry = "" } = business ?? {};
  const ofIndustry = useData(isKnown ? callOf({ industry }) : null);
  const isAlone =
    isKnown &&
    ofIndustry.value !== null &&
    rowsOf(ofIndustry.value.data).every((row) => row["symbol"] === subject.symbol.toUpperCase());
  const ofSector = useData(isAlone ? callOf({ sector }) : null);
  const group = isAlone ? { sector } : { industry };
  const peers = isAlone ? ofSector : ofIndustry;
  if (business?.industry === MISSING) {
    return (
      <Panel title="Peers">
        <Empty>{t("The industry of this company is not known.")}</Empty>
      </Panel>
    );
  }
  const rows = peers.value ? rowsOf(peers.value.data) : [];
  return (
    <Panel
      title="Peers"
      id="peers"
      calls={[callOf(group)]}
      answer={peers.value}
      actions={
        <>
          <a href={`/console/compare?${queryOf({ symbols: comparedWith(subject, rows) })}`}>
            {t("Compare")}
          </a>
          <a href={`/console/screen?${queryOf({ country, ...group, metrics: COLUMNS })}`}>
            {t("Open in the screener")}
          </a>
        </>
      }
    >
      <Loaded of={peers} lines={8}>
        {() => (
          <div class="peers">
            {isAlone && rows[0] && numberIn(rows[0], "market_cap") !== null && (
              <p class="muted">
                {t("{industry} has no other company here. These are the largest of {sector}.", {
                  industry: translateTerm(industry),
                  sector: translate(sector),
                })}
              </p>
            )}
            <DataTable
              label={isAlone ? "Companies of the same sector" : "Companies of the same industry"}
              columns={columnsOf(subject, rows, peers.value?.data.currency ?? "")}
              rows={rows}
              keyOf={(row) => textIn(row, "symbol")}
            />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

/** The symbols of a comparison: the instrument first, which may be none of the largest. */
function comparedWith({ country, symbol }: Subject, rows: readonly Row[]): string {
  const symbols = [symbol.toUpperCase(), ...rows.map((row) => textIn(row, "symbol"))];
  return [...new Set(symbols)].map((one) => `${country}:${one}`).join(",");
}

function columnsOf(
  { country, symbol }: Subject,
  rows: readonly Row[],
  currency: string,
): Column<Row>[] {
  const sizes = columnInOneUnit(
    "Market cap",
    rows.map((row) => row["market_cap"]),
    currency,
  );
  const number = (
    title: Caption,
    name: string,
    show: (value: number | null) => string,
  ): Column<Row> => ({
    title,
    isNumber: true,
    isLowFirst: name === "pe",
    cell: (row) => show(numberIn(row, name)),
    sortBy: (row) => numberIn(row, name),
  });
  return [
    {
      title: "Company",
      cell: (row) => {
        const name = <CompanyName row={row} country={country} />;
        return (
          <a href={symbolPath(country, textIn(row, "symbol"))} title={textIn(row, "symbol")}>
            {row["symbol"] === symbol.toUpperCase() ? <b>{name}</b> : name}
          </a>
        );
      },
    },
    // Sizes order the rows, so a phone leaves the sizes out.
    { ...number(sizes.title, "market_cap", sizes.format), isExtra: true },
    number("P/E", "pe", formatNumber),
    number("Yield", "dividend_yield", formatPlainPercent),
    {
      ...number("1 year", "return_1y", formatPlainPercent),
      cell: (row) => <Change value={numberIn(row, "return_1y")} />,
    },
  ];
}
