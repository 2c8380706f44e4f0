import { type Call, useData } from "#console/app/api.ts";
import { currencyUnit, formatPerShare, formatShort } from "#console/app/format.ts";
import { BarGroups } from "#console/app/parts/bar-groups.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { t } from "#console/app/words.ts";
import { quarterText } from "./quarters.ts";

const QUARTERS = 12;
/** Of as many bars, one has a label. */
const LABELLED = 4;
const quarterOf = (row: Row) =>
  quarterText(textIn(row, "fiscal_period"), textIn(row, "period_end"));

/** Revenue and earnings per share of the newest quarters. */
export function ResultsPanel({ subject }: { readonly subject: Subject }) {
  const call: Call<"get_stock_statements"> = {
    operation: "get_stock_statements",
    args: { ...subject, type: "income", period: "quarterly", limit: QUARTERS, figures: true },
  };
  const statements = useData(call);
  return (
    <Panel title="Revenue and EPS" calls={[call]} answer={statements.value}>
      <div class="band-frame">
        <Loaded of={statements} lines={6}>
          {({ data: { figures } }) => {
            const rows = figures ? rowsOf(figures).toReversed() : [];
            const newest = rows.at(-1);
            const currency = figures?.currency ?? "";
            if (!newest) return <NoRecord>{t("No quarterly result is stored.")}</NoRecord>;
            return (
              <>
                <p>
                  <b class="large">
                    {formatShort(numberIn(newest, "revenue"))}
                    {currencyUnit(currency)}
                  </b>{" "}
                  {t("revenue, {period}", { period: quarterOf(newest).withEnd })} · EPS{" "}
                  <b>{formatPerShare(numberIn(newest, "eps_diluted"), currency)}</b>
                </p>
                {(["revenue", "eps_diluted"] as const).map((name) => (
                  <BarGroups
                    key={name}
                    label={t(name === "revenue" ? "Revenue by quarter" : "EPS by quarter")}
                    groups={rows.map((row, i) => ({
                      name: quarterOf(row).name,
                      label:
                        name === "revenue" || (rows.length - 1 - i) % LABELLED !== 0
                          ? ""
                          : quarterOf(row).short,
                    }))}
                    series={[
                      {
                        name: name === "revenue" ? t("Revenue") : "EPS",
                        values: rows.map((row) => numberIn(row, name)),
                      },
                    ]}
                    format={
                      name === "revenue" ? formatShort : (eps) => formatPerShare(eps, currency)
                    }
                  />
                ))}
              </>
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}
