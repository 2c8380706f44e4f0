import { place, setQuery } from "#console/app/router.ts";
import { Tabs } from "./tabs.tsx";

const SCALES = ["Linear", "Log"] as const;

/** The axis that the query of the page asks for. */
export const scaleNow = () => (place.value.query.get("scale") === "log" ? "log" : "linear");

/** The choice of a chart's axis. @param cannot why there is none; left out if there is one */
export function ScaleTabs({ cannot }: { readonly cannot?: string | undefined }) {
  return (
    <Tabs
      label="Scale"
      tabs={SCALES}
      current={scaleNow() === "log" && cannot === undefined ? "Log" : "Linear"}
      onChange={(scale) => setQuery({ scale: scale === "Log" ? "log" : null })}
      cannot={cannot}
    />
  );
}
