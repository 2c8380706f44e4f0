import { type MetricInputs, METRICS } from "#analytics/metrics.ts";
import { type Performance, PERFORMANCE_WINDOWS } from "#analytics/performance.ts";
import { type Instrument, isShare } from "#domain/instrument.ts";
import type { Panel } from "#domain/schema.ts";
import { MISSING } from "./format.ts";
import {
  LIMIT_METRICS,
  OVERVIEW_METRICS,
  PERFORMANCE_METRICS,
  VALUATION_METRICS,
} from "./labels.ts";
import { metricPanel } from "./metrics.ts";

/** The panel of an instrument's newest price, with its date, and headline figures. */
export function overviewPanel(
  company: MetricInputs & {
    readonly instrument: Pick<Instrument, "name">;
    readonly newest: { readonly date: string } | null;
  },
): Panel {
  const { country, assetType } = company.instrument;
  const hasLimits = country !== "US" && isShare(assetType);
  return {
    Name: company.instrument.name,
    ...metricPanel(["price"], company),
    "Price date": company.newest?.date ?? MISSING,
    ...metricPanel(OVERVIEW_METRICS, company),
    ...(hasLimits && metricPanel(LIMIT_METRICS, company)),
  };
}

/** The panel of a company's market cap, enterprise value and multiples. */
export function valuationPanel(company: MetricInputs): Panel {
  return metricPanel(VALUATION_METRICS, company);
}

/** The panel of the change of the price over each window. */
export function performancePanel(company: MetricInputs): Panel {
  return metricPanel(PERFORMANCE_METRICS, company);
}

/** The panel of the session from whose close each window is measured. */
export function performanceFromPanel({
  starts,
}: {
  readonly starts: Readonly<Record<keyof Performance, string | null>>;
}): Panel {
  return Object.fromEntries(
    PERFORMANCE_WINDOWS.map((window) => [
      METRICS[`return_${window}`].label ?? window,
      starts[window] ?? MISSING,
    ]),
  );
}
