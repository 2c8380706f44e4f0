import { useState } from "preact/hooks";
import { INDICES } from "#console/app/parts/country.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { SymbolField } from "#console/app/parts/symbol-field.tsx";
import { setQuery } from "#console/app/router.ts";
import { type Sentence, t } from "#console/app/words.ts";

/** The choice of an instrument to compare with. */
export function OverlayForm(props: {
  readonly subject: Subject;
  readonly onPick: (one: Subject) => void;
  readonly onClose: () => void;
}) {
  const { subject, onPick, onClose } = props;
  const index = INDICES[subject.country];
  return (
    <>
      <SymbolField label={t("Add a company")} isFocused onPick={onPick} />
      <div class="panel-actions">
        {index && index !== subject.symbol && (
          <button type="button" onClick={() => onPick({ country: subject.country, symbol: index })}>
            {t("Index of the country")}
          </button>
        )}
        <button type="button" class="quiet" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </>
  );
}

const FIGURES: Readonly<Record<string, Sentence>> = {
  pe: "P/E",
  eps: "EPS, 12 months",
  revenue: "Revenue, 12 months",
  dividend: "Dividends per share, 12 months",
};
/** Lines with lengths to choose. */
const LINES: Readonly<Record<string, Sentence>> = {
  sma: "Simple averages (SMA), lengths",
  ema: "Exponential averages (EMA), lengths",
  bb: "Bollinger bands, lengths",
};
/** A length, and the most of a kind. */
const LONGEST = 400;
const MAX_LENGTHS = 3;

/** Figures of the company below the price, and averages of any length on it. */
export function ExtrasForm(props: {
  readonly extras: readonly string[];
  readonly isCompany: boolean;
  readonly onClose: () => void;
}) {
  const { extras, isCompany, onClose } = props;
  const [error, setError] = useState(false);
  const lengthsOf = (kind: string) =>
    extras.flatMap((one) => new RegExp(`^${kind}(\\d+)$`).exec(one)?.[1] ?? []).join(", ");
  const submit = (event: FormEvent) => {
    const form = readForm(event);
    const figures = Object.keys(FIGURES).filter((name) => form.has(name));
    const lines = Object.keys(LINES).map(
      (kind) => [kind, readText(form, kind).match(/[^\s,;]+/g) ?? []] as const,
    );
    const isRead = lines.every(
      ([, texts]) =>
        texts.length <= MAX_LENGTHS &&
        texts.every((one) => /^\d{1,3}$/.test(one) && Number(one) > 1 && Number(one) <= LONGEST),
    );
    setError(!isRead);
    if (!isRead) return;
    const chosen = [
      ...lines.flatMap(([kind, texts]) => texts.map((one) => kind + Number(one))),
      ...figures,
    ];
    setQuery({ extra: [...new Set(chosen)].join(",") || null });
    onClose();
  };
  return (
    <form class="stack" onSubmit={submit}>
      {isCompany && (
        <fieldset class="stack">
          <legend>{t("Below the price")}</legend>
          {Object.entries(FIGURES).map(([name, title]) => (
            <label key={name} class="tick">
              <input type="checkbox" name={name} defaultChecked={extras.includes(name)} />{" "}
              {t(title)}
            </label>
          ))}
        </fieldset>
      )}
      {Object.entries(LINES).map(([kind, title]) => (
        <label key={kind}>
          {t(title)}
          <input name={kind} placeholder="20, 100" defaultValue={lengthsOf(kind)} />
        </label>
      ))}
      {error && (
        <p role="alert" class="failure">
          {t("Write up to {count} whole numbers from 2 to {most}, separated by commas.", {
            count: MAX_LENGTHS,
            most: LONGEST,
          })}
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {t("Cancel")}
        </button>
        <button type="submit" class="primary">
          {t("Show")}
        </button>
      </div>
    </form>
  );
}
