import { place, setQuery } from "#console/app/router.ts";
import { Tabs } from "./tabs.tsx";

const SCALES = ["Linear", "Log"] as const;

/** True if the query of the page asks for a logarithmic axis. */
export const isLogarithmic = () => place.value.query.get("scale") === "log";

/** The choice of a chart's axis. */
export function ScaleTabs() {
  return (
    <Tabs
      label="Scale"
      tabs={SCALES}
      current={isLogarithmic() ? "Log" : "Linear"}
      onChange={(scale) => setQuery({ scale: scale === "Log" ? "log" : null })}
    />
  );
}
