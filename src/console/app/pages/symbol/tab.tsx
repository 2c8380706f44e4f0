import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { outage, retryNow } from "#console/app/api.ts";
import type { SymbolTab } from "./tabs.ts";
import { t } from "#console/app/words.ts";
import type { TabProps } from "./tab-props.ts";

/**
 * The code of each part, which is loaded when it is shown. The parts that have a panel on the overview are one file with
 * it: files of their own would be mostly imports.
 */
const LOADERS = {
  overview: () => import("./glance.tsx").then((file) => file.Glance),
  chart: () => import("./glance.tsx").then((file) => file.ChartTab),
  financials: () => import("./statements.tsx").then((file) => file.StatementsPanel),
  valuation: () => import("./glance.tsx").then((file) => file.ValuationTab),
  forecast: () => import("./analysts.tsx").then((file) => file.ForecastTab),
  dividends: () => import("./events.tsx").then((file) => file.DividendsPanel),
} satisfies Readonly<Record<SymbolTab, () => Promise<ComponentType<TabProps>>>>;

const loaded = new Map<SymbolTab, ComponentType<TabProps>>();

/** A part of the page; its place is kept free until its code is loaded. */
export function TabContent({ tab, ...props }: TabProps & { readonly tab: SymbolTab }) {
  const [, setShown] = useState<SymbolTab | null>(null);
  // A part whose code could not be loaded is loaded when the service answers again.
  const isLost = outage.value !== null;
  useEffect(() => {
    if (loaded.has(tab)) return;
    LOADERS[tab]().then(
      (part) => {
        loaded.set(tab, part);
        setShown(tab);
      },
      () => void retryNow(),
    );
  }, [tab, isLost]);
  const Part = loaded.get(tab);
  if (Part) return <Part {...props} />;
  return <div class="loading tab-loading" role="status" aria-label={t("Loading")} />;
}
