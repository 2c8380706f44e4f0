import { type Call, useData } from "#console/app/api.ts";
import { formatDate, formatPrice, formatShort, MISSING } from "#console/app/format.ts";
import { sessionText } from "#console/app/parts/events.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { t, translate } from "#console/app/words.ts";
import { quarterText } from "./quarters.ts";

/** The next earnings report of a US company. @param quarterEnd the last day of the quarter; empty if it is unknown */
export function EarningsPanel(props: { readonly symbol: string; readonly quarterEnd: string }) {
  const { symbol, quarterEnd } = props;
  const call: Call<"get_earnings_calendar"> = {
    operation: "get_earnings_calendar",
    args: { tickers: symbol },
  };
  const calendar = useData(call);
  return (
    <Panel title="Next earnings" calls={[call]} answer={calendar.value}>
      <div class="next-earnings">
        <Loaded of={calendar} lines={4}>
          {({ data: { earnings } }) => {
            const [next] = earnings;
            if (!next) return <NoRecord>{t("The date of the next report is not known.")}</NoRecord>;
            return (
              <Figures
                rows={[
                  ["Date", formatDate(next.date)],
                  ["Time", sessionText(next.session)],
                  ["Quarter", quarterText(next.fiscal_period ?? MISSING, quarterEnd).name],
                  [translate("EPS estimate, USD"), formatPrice(next.eps_estimate)],
                  [translate("Revenue estimate, USD"), formatShort(next.revenue_estimate)],
                ]}
              />
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}
