import { formatText } from "#console/app/format.ts";
import { t, translate } from "#console/app/words.ts";
import type { TargetedInputEvent } from "preact";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import type { Vocabulary } from "#console/app/parts/metrics.tsx";

const OPERATORS = ["<", "<=", ">", ">=", "=", "!="] as const;

type Metrics = Vocabulary["metrics"];

/** Replaces the conditions by what the function makes of the current ones. */
type OnChange = (change: (current: readonly string[]) => readonly string[]) => void;

const OR = / or | *\|\| */i;

/** The conditions of a screen. Alternatives are one condition, because a part of them has another meaning alone. */
export function splitConditions(where: string): readonly string[] {
  return (OR.test(where) ? [where] : where.split(",")).filter((one) => one !== "");
}

/** The screen of all conditions: those beside alternatives belong to each of them. */
export function joinConditions(conditions: readonly string[]): string {
  const either = conditions.find((one) => OR.test(one)) ?? "";
  const others = conditions.filter((one) => one !== either);
  return either
    .split(OR)
    .map((alternative) => [alternative, ...others].filter((one) => one !== "").join(","))
    .join(" or ");
}

/** A number with groups of thousands, such as `1,500.5B`. */
const GROUPED = /^[-+]?\d{1,3}(,\d{3})+(?!\d)[^,]*$/;

/** The text of a number without spaces and groups of thousands; null if its comma can be a decimal point. */
function readLimit(text: string): string | null {
  const written = text.replaceAll(/\s/g, "");
  if (!written.includes(",")) return written;
  return GROUPED.test(written) ? written.replaceAll(",", "") : null;
}

/** A form that adds a condition. */
export function ConditionForm(props: { readonly metrics: Metrics; readonly onChange: OnChange }) {
  const { metrics, onChange } = props;
  const onInput = ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) =>
    currentTarget.setCustomValidity(
      readLimit(currentTarget.value) === null
        ? "Write decimals with a point, such as 1.5, and thousands as 1500 or 1,500."
        : "",
    );
  const onSubmit = (event: FormEvent) => {
    const form = event.currentTarget;
    const data = readForm(event);
    const [metric, operator, limit = ""] = ["metric", "operator", "limit"].map((name) =>
      readText(data, name),
    );
    const condition = `${metric}${operator}${readLimit(limit)}`;
    onChange((current) => (current.includes(condition) ? current : [...current, condition]));
    form.reset();
  };
  return (
    <form class="filter-row" onSubmit={onSubmit}>
      <label>
        {t("Metric")}
        <select name="metric">
          {[...metrics.values()].map(({ name, title, description }) => (
            <option key={name} value={name} title={description}>
              {translate(title)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("Is")}
        <select name="operator">
          {OPERATORS.map((operator) => (
            <option key={operator}>{operator}</option>
          ))}
        </select>
      </label>
      <label>
        {t("Number")}
        <input name="limit" required size={8} placeholder="20 or 10B" onInput={onInput} />
      </label>
      <button type="submit">{t("Add condition")}</button>
    </form>
  );
}

/** The conditions and the industry, each with a button that removes it. */
export function Conditions(props: {
  readonly conditions: readonly string[];
  readonly industry: string | null;
  readonly metrics: Metrics;
  readonly onChange: OnChange;
  readonly onRemoveIndustry: () => void;
}) {
  const { conditions, industry, metrics, onChange, onRemoveIndustry } = props;
  if (conditions.length === 0 && industry === null) return null;
  return (
    <ul class="chips" aria-label="Conditions">
      {conditions.map((text) => (
        <Chip
          key={text}
          text={describeCondition(text, metrics)}
          onRemove={() => onChange((current) => current.filter((one) => one !== text))}
        />
      ))}
      {industry !== null && (
        <Chip text={`${t("Industry")}: ${industry}`} onRemove={onRemoveIndustry} />
      )}
    </ul>
  );
}

function describeCondition(text: string, metrics: Metrics): string {
  const [, name = "", operator = "", limit = ""] = /^(\w+)([<>=!]+)(.*)$/.exec(text) ?? [];
  const metric = OR.test(text) ? undefined : metrics.get(name);
  const other = metrics.get(limit);
  return metric
    ? `${translate(metric.title)} ${operator} ${other ? translate(other.title) : formatText(limit)}`
    : text;
}

function Chip(props: { readonly text: string; readonly onRemove: () => void }) {
  return (
    <li>
      {props.text}
      <button
        type="button"
        class="quiet"
        aria-label={`Remove ${props.text}`}
        onClick={props.onRemove}
      >
        ×
      </button>
    </li>
  );
}
