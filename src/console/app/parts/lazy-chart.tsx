import { useEffect, useState } from "preact/hooks";
import type { ChartProps } from "./chart.tsx";

// The chart library is large, so only pages with a chart load it, while they load their figures.
const loading = import("./chart.tsx");
let loaded: Awaited<typeof loading> | null = null;

/** A chart whose place is kept free until its code is loaded. */
export function LazyChart(props: ChartProps) {
  const [module, setModule] = useState(loaded);
  useEffect(() => {
    void loading.then((found) => setModule((loaded = found)));
  }, []);
  return module ? <module.Chart {...props} /> : <div class="chart" />;
}
