import { type Call, useData } from "#console/app/api.ts";
import { Sparkline } from "./sparkline.tsx";

/** The closes of one year, from the one before it, so that the colour is that of its return. */
export function YearLine({ call }: { readonly call: Call<"get_stock_price_history"> }) {
  const history = useData(call);
  return (
    <div class="year-line">
      {history.value && <Sparkline values={knownIn(history.value.data.closes)} isColoured />}
      {history.error && <p class="muted">No line: {history.error.message}</p>}
    </div>
  );
}

const knownIn = (values: readonly (number | null)[] = []) =>
  values.filter((value) => value !== null);
