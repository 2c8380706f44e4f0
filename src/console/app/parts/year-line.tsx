import { type Call, useData } from "#console/app/api.ts";
import { Missing } from "./panel.tsx";
import { Sparkline } from "./sparkline.tsx";

/** The closes of one year, in the colour of its return. */
export function YearLine(props: {
  readonly call: Call<"get_stock_price_history">;
  /** The return; left out, the change from the first to the last close of days. */
  readonly change?: number | null | undefined;
}) {
  const history = useData(props.call);
  const closes = knownIn(history.value?.data.closes);
  const { change = (closes.at(-1) ?? 0) - (closes[0] ?? 0) } = props;
  return (
    <div class="year-line">
      {history.value && <Sparkline values={closes} change={change} />}
      {history.error && !history.error.lack && <Missing error={history.error} />}
    </div>
  );
}

const knownIn = (values: readonly (number | null)[] = []) =>
  values.filter((value) => value !== null);
