import { formatPercent, formatText, MISSING } from "#console/app/format.ts";

/** A change in percent with an arrow, a sign and a colour. @param value a number, or a text such as `+0.40%` */
export function Change({ value }: { readonly value: number | string | null | undefined }) {
  const text = typeof value === "string" ? formatText(value) : formatPercent(value);
  if (text === MISSING) return <span class="muted">{MISSING}</span>;
  const sign = /[1-9]/.test(text) ? (text.startsWith("−") ? "loss" : "gain") : "flat";
  const arrow = { gain: "▲", loss: "▼", flat: "" }[sign];
  return (
    <span class={`change ${sign}`}>
      <span aria-hidden="true">{arrow}</span> {text}
    </span>
  );
}
