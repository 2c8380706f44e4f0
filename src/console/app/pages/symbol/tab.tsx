import type { ComponentType } from "preact";
import { lazyPart } from "#console/app/parts/lazy-part.tsx";
import type { SymbolTab } from "./tabs.ts";
import type { TabProps } from "./tab-props.ts";

/** The parts that have a panel on the overview are one file with it: files of their own would be mostly imports. */
const PARTS = {
  overview: lazyPart(() => import("./glance.tsx").then((file) => file.Glance)),
  chart: lazyPart(() => import("./glance.tsx").then((file) => file.ChartTab)),
  financials: lazyPart(() => import("./statements.tsx").then((file) => file.StatementsPanel)),
  valuation: lazyPart(() => import("./glance.tsx").then((file) => file.ValuationTab)),
  forecast: lazyPart(() => import("./analysts.tsx").then((file) => file.ForecastTab)),
  dividends: lazyPart(() => import("./events.tsx").then((file) => file.DividendsPanel)),
} satisfies Readonly<Record<SymbolTab, ComponentType<TabProps>>>;

/** A part of the page, whose code is loaded when it is shown. */
export function TabContent({ tab, ...props }: TabProps & { readonly tab: SymbolTab }) {
  const Part = PARTS[tab];
  return <Part {...props} />;
}
