import { reader } from "#console/app/reader.ts";
import { formatPercent, formatText, MISSING } from "#console/app/format.ts";

/** A change in percent with an arrow, a sign and a colour. @param value a number, or a text such as `+0.40%` */
export function Change(props: {
  readonly value: number | string | null | undefined;
  /** True for a growth or a share of a result: in Japan, ▲ before such a figure means minus. */
  readonly isGrowth?: boolean;
  /** The limit of the day that the price is at. Boards in Viet Nam have a colour for each. */
  readonly limit?: "ceiling" | "floor" | undefined;
}) {
  const { value, isGrowth = false, limit = "" } = props;
  const text = typeof value === "string" ? formatText(value) : formatPercent(value);
  if (text === MISSING) return <span class="muted">{MISSING}</span>;
  const sign = /[1-9]/.test(text) ? (text.startsWith("−") ? "loss" : "gain") : "flat";
  const hasArrow = !isGrowth || reader.value.language !== "ja";
  const arrow = hasArrow ? { gain: "▲", loss: "▼", flat: "" }[sign] : "";
  return (
    <span class={`change ${sign} ${limit}`.trimEnd()}>
      <span aria-hidden="true">{arrow}</span> {text}
    </span>
  );
}
