import { INDICES } from "#console/app/parts/country.tsx";
import { PricePanel } from "./chart.tsx";
import { KeyFigures } from "./key-figures.tsx";
import { BusinessPanel, FiguresPanels } from "./overview.tsx";
import { PeersPanel } from "./peers.tsx";
import { ResultsPanel } from "./results.tsx";
import type { TabProps } from "./tab-props.ts";
import { ValuationPanel } from "./valuation.tsx";

export { ChartTab } from "./chart.tsx";
export { ValuationTab } from "./valuation.tsx";

/** The overview: the chart, the key figures, and what the other parts say in short. */
export function Glance({ subject, overview, isCompany }: TabProps) {
  const data = overview.value?.data;
  return (
    <>
      <div class="symbol-top">
        <PricePanel subject={subject} performance={data?.performance} isCompany={isCompany} />
        {isCompany ? (
          <KeyFigures subject={subject} sector={data?.business_model.sector} />
        ) : (
          <div class="columns">
            {INDICES[subject.country] === subject.symbol && (
              <ValuationPanel subject={subject} metric="pe" />
            )}
            {isCompany === false && (
              <>
                <FiguresPanels subject={subject} overview={overview} isCompany={false} />
                <BusinessPanel subject={subject} overview={overview} />
              </>
            )}
          </div>
        )}
      </div>
      {isCompany && (
        <>
          <div class="columns">
            <ValuationPanel subject={subject} metric="pe" />
            <ResultsPanel subject={subject} />
            <PeersPanel subject={subject} business={data?.business_model} />
          </div>
          <BusinessPanel subject={subject} overview={overview} />
        </>
      )}
    </>
  );
}
