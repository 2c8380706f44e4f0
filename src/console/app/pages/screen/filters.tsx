import { currencyUnit, formatText } from "#console/app/format.ts";
import { asIs, t, translate } from "#console/app/words.ts";
import { useRef, useState } from "preact/hooks";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { isAmount, type Vocabulary } from "#console/app/parts/metrics.tsx";
import {
  conditionsOf,
  describeBounds,
  type Filter,
  filtersOf,
  isEither,
  signOf,
} from "./conditions.ts";
import { readLimit } from "./limit.ts";
import { MetricChoice } from "./metrics.tsx";
import { FilterPill } from "./pill.tsx";

const OPERATORS = ["<", "<=", ">", ">=", "=", "!="] as const;

type Metrics = Vocabulary["metrics"];

/** Replaces the conditions by what the function makes of the current ones. */
type OnChange = (change: (current: readonly string[]) => readonly string[]) => void;

/** A form that adds a condition. */
export function ConditionForm(props: {
  readonly metrics: Metrics;
  /** Of amounts. */
  readonly currency: string;
  readonly onChange: OnChange;
}) {
  const { metrics, currency, onChange } = props;
  const [metric, setMetric] = useState("pe");
  const unit = isAmount(metrics.get(metric)?.unit ?? "") ? currency : null;
  const limit = useRef<HTMLInputElement>(null);
  const onSubmit = (event: FormEvent) => {
    const field = limit.current;
    const data = readForm(event);
    const { value, error } = readLimit(readText(data, "limit"));
    if (!value) {
      field?.setCustomValidity(error || t("Write a number, such as 20 or 10B."));
      field?.reportValidity();
      return;
    }
    const condition = `${metric}${readText(data, "operator")}${value.text}`;
    onChange((current) => (current.includes(condition) ? current : [...current, condition]));
    // The metric stays, for example for its other limit.
    if (field) field.value = "";
  };
  return (
    <form class="condition-form" onSubmit={onSubmit}>
      <span class="muted">{t("Only with")}</span>
      <MetricChoice
        metrics={metrics}
        current={metrics.get(metric)}
        onChoose={(name) => {
          setMetric(name);
          limit.current?.focus();
        }}
      />
      <select name="operator" aria-label={t("Is")}>
        {OPERATORS.map((operator) => (
          <option key={operator} value={operator}>
            {signOf(operator)}
          </option>
        ))}
      </select>
      <input
        ref={limit}
        name="limit"
        aria-label={
          unit === null ? t("Number") : t("{figure}, {unit}", { figure: t("Number"), unit })
        }
        size={8}
        placeholder={t("20 or 10B")}
        onInput={() => limit.current?.setCustomValidity("")}
      />
      {unit !== null && <span class="muted">{unit}</span>}
      <button type="submit">{t("Add condition")}</button>
    </form>
  );
}

/** The filters and the industry, each with a button that removes it. Without any, the room of one row is kept. */
export function Filters(props: {
  readonly country: string;
  readonly currency: string;
  readonly conditions: readonly string[];
  readonly industry: string | null;
  readonly metrics: Metrics;
  readonly onChange: OnChange;
  readonly onRemoveIndustry: () => void;
}) {
  const { country, currency, conditions, industry, metrics, onChange, onRemoveIndustry } = props;
  const filters = filtersOf(conditions);
  return (
    <ul class="chips" aria-label={t("Conditions")}>
      {filters.map((filter, i) => {
        const { texts, bounds } = filter;
        const text = asIs(describeFilter(filter, metrics, currency));
        // The dialog stays open while its filter gets or loses a limit.
        const earlier = filters.slice(0, i).filter((one) => one.bounds?.metric === bounds?.metric);
        const metric = bounds && metrics.get(bounds.metric);
        const replace = (next: readonly string[]) =>
          onChange((current) => {
            const at = current.indexOf(texts[0] ?? "");
            const others = current.filter((one) => !texts.includes(one));
            return at < 0 ? current : others.toSpliced(at, 0, ...next);
          });
        return metric ? (
          <FilterPill
            key={`${metric.name} ${earlier.length}`}
            metric={metric}
            bounds={bounds}
            text={text}
            country={country}
            currency={isAmount(metric.unit) ? currency : undefined}
            onChange={(next) => replace(conditionsOf(metric.name, next))}
          />
        ) : (
          <Chip key={texts[0]} text={text} onRemove={() => replace([])} />
        );
      })}
      {industry !== null && (
        <Chip text={`${t("Industry")}: ${industry}`} onRemove={onRemoveIndustry} />
      )}
    </ul>
  );
}

/** The words of a filter: `P/E 5 – 20`, `Market cap > 10B USD`. @param currency of amounts */
export function describeFilter(
  { texts, bounds }: Filter,
  metrics: Metrics,
  currency: string,
): string {
  const metric = bounds && metrics.get(bounds.metric);
  if (!metric) return describeCondition(texts.join(","), metrics, currency);
  const { title, unit } = metric;
  return describeBounds(bounds, {
    title: translate(title),
    unit,
    currency: isAmount(unit) ? currency : undefined,
  });
}

/** The words of a condition: `P/E < P/E median`. */
function describeCondition(text: string, metrics: Metrics, currency: string): string {
  const [, name = "", operator = "", limit = ""] = /^(\w+)([<>=!]+)(.*)$/.exec(text) ?? [];
  const metric = isEither(text) ? undefined : metrics.get(name);
  if (!metric) return text;
  const amount = `${formatText(limit)}${isAmount(metric.unit) ? currencyUnit(currency) : ""}`;
  return `${translate(metric.title)} ${signOf(operator)} ${nameOfFigure(limit, metrics) ?? amount}`;
}

/** The name of a metric, or of the median of a group: `industry.pe_median`. Null for another text. */
export function nameOfFigure(text: string, metrics: Metrics): string | null {
  const [, group, name = text] = /^(industry|sector)\.(\w+)_median$/.exec(text) ?? [];
  const title = metrics.get(name)?.title;
  if (title === undefined) return null;
  const figure = translate(title);
  if (group === undefined) return figure;
  return group === "industry"
    ? t("{figure}, median of the industry", { figure })
    : t("{figure}, median of the sector", { figure });
}

/** The amounts that conditions name, as they are written: `market_cap>200B`. */
const amountsOf = (conditions: readonly string[], metrics: Metrics): string =>
  [...conditions.join(",").matchAll(/(\w+)[<>=!]+[-+]?\d[^,\s]*/g)]
    .flatMap(([amount, name = ""]) => (isAmount(metrics.get(name)?.unit ?? "") ? amount : []))
    .join(",");

/** Says that the same amounts of the conditions now have another currency than before. */
export function CurrencyNote(props: {
  readonly conditions: readonly string[];
  readonly metrics: Metrics;
  readonly currency: string;
}) {
  const { conditions, metrics, currency } = props;
  const amounts = amountsOf(conditions, metrics);
  // The currency in which these amounts were first shown.
  const first = useRef({ amounts, currency });
  if (first.current.amounts !== amounts) first.current = { amounts, currency };
  const before = first.current.currency;
  return (
    <div role="status" class="currency-note">
      {amounts !== "" && before !== currency && (
        <p>
          {t(
            "The amounts of your conditions were in {before} and are now in {currency}. Their numbers are the same: change them, or choose the earlier country.",
            { before, currency },
          )}
        </p>
      )}
    </div>
  );
}

function Chip(props: { readonly text: string; readonly onRemove: () => void }) {
  return (
    <li>
      {props.text}
      <button
        type="button"
        class="quiet"
        aria-label={t("Remove {filter}", { filter: props.text })}
        onClick={props.onRemove}
      >
        ×
      </button>
    </li>
  );
}
