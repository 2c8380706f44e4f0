import { useState } from "preact/hooks";
import { CompanyName, nameInLanguage } from "#console/app/company-names.tsx";
import { today } from "#console/app/days.ts";
import { formatPlainPercent, localeNow } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { currencyOf } from "#console/app/parts/country-currency.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { Failure } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, textIn } from "#console/app/parts/rows.ts";
import { isSame, type ListItem } from "#console/app/user-lists.ts";
import { type Shown, t } from "#console/app/words.ts";

/** Changes the items, and says what was done. */
export type Change = (
  make: (items: readonly ListItem[]) => readonly ListItem[],
  text: Shown,
) => Promise<void>;

/** True for a list whose items have weights and no shares: the others get a weight too. */
export const hasOnlyWeights = (items: readonly ListItem[]): boolean =>
  items.some(({ weight }) => weight !== undefined) &&
  items.every(({ shares }) => shares === undefined);

/** A number of shares with the decimals that it has: `1,000`, `0.25`; empty without one. */
export const sharesText = (row: Row): string =>
  numberIn(row, "shares")?.toLocaleString(localeNow(), { maximumFractionDigits: 6 }) ?? "";

/** The weight in a row: `40.00%`; empty without one. */
export const weightText = (row: Row): string =>
  row["weight"] === null ? "" : formatPlainPercent(numberIn(row, "weight"));

/** The company of a row with the button that edits it. On a narrow screen it has the shares or the weight too. */
export function ItemCell(props: {
  readonly row: Row;
  /** Undefined if another tab has removed it. */
  readonly item: ListItem | undefined;
  readonly isWeight: boolean;
  readonly onChange: Change;
}) {
  const { row, item, isWeight, onChange } = props;
  const shares = sharesText(row);
  const amount = shares === "" ? weightText(row) : t("{count} shares", { count: shares });
  return (
    <div class="list-item">
      <a href={symbolPath(textIn(row, "country"), textIn(row, "symbol"))}>
        <b>{row["symbol"]}</b> <CompanyName row={row} />
      </a>
      <small class="narrow-only muted">{amount}</small>
      {item && (
        <EditItem item={item} name={textIn(row, "name")} isWeight={isWeight} onChange={onChange} />
      )}
    </div>
  );
}

/** The item with the shares or weight, the price paid and the note of a form. */
function editedItem(item: ListItem, form: FormData): ListItem {
  const { country, symbol } = item;
  const [shares, weight] = [readText(form, "shares"), readText(form, "weight")];
  const [note, text, holds] = ["note", "thesis", "while"].map((name) =>
    readText(form, name).trim(),
  );
  const [price, date] = [readText(form, "price"), readText(form, "date")];
  const currency = readText(form, "currency").trim().toUpperCase();
  return {
    country,
    symbol,
    ...(shares !== "" && { shares: Number(shares) }),
    ...(weight !== "" && { weight: Number(weight) }),
    ...(note && { note }),
    ...(text && holds && { thesis: { text, while: holds } }),
    ...(price !== "" && {
      cost: { price: Number(price), currency, ...(date !== "" && { date }) },
    }),
  };
}

/** The price paid for a share, its currency and its day. */
function CostFields({ item: { country, cost } }: { readonly item: ListItem }) {
  return (
    <div class="cost-fields">
      <label>
        {t("Price paid for a share")}
        <input name="price" type="number" step="any" min="0" defaultValue={cost?.price} />
      </label>
      <label>
        {t("Currency")}
        <input
          name="currency"
          pattern="[A-Za-z]{3}"
          size={4}
          title={t("A code of three letters, such as USD.")}
          defaultValue={cost?.currency ?? currencyOf(country)}
        />
      </label>
      <label>
        {t("Bought on")}
        <input name="date" type="date" max={today()} defaultValue={cost?.date} />
      </label>
    </div>
  );
}

/** Shares or weight and note of an item, and the way out of the list. */
function EditItem(props: {
  readonly item: ListItem;
  /** The name of the company. */
  readonly name: string;
  /** True for a weight in place of shares. */
  readonly isWeight: boolean;
  readonly onChange: Change;
}) {
  const { item, isWeight, onChange } = props;
  const { isBusy, error, run } = useAction();
  const name = nameInLanguage(item, props.name || item.symbol);
  const remove = (items: readonly ListItem[]) => items.filter((one) => !isSame(one, item));
  const submit = (close: () => void) => async (event: FormEvent) => {
    const next = editedItem(item, readForm(event));
    const replace = (items: readonly ListItem[]) =>
      items.map((one) => (isSame(one, item) ? next : one));
    if (await run(() => onChange(replace, t("{name} was changed.", { name: item.symbol }))))
      close();
  };
  return (
    <DialogButton
      text={t("Edit")}
      title={t("Edit {name}", { name: item.symbol })}
      heading={t("Edit {name}", { name: `${name} (${item.symbol})` })}
    >
      {(close) => (
        <form class="stack" onSubmit={submit(close)}>
          <label>
            {isWeight ? t("Weight in percent") : t("Shares")}
            <input
              name={isWeight ? "weight" : "shares"}
              type="number"
              step="any"
              defaultValue={isWeight ? item.weight : item.shares}
            />
          </label>
          {!isWeight && <CostFields item={item} />}
          <label>
            {t("Note")}
            <input name="note" maxLength={200} defaultValue={item.note} />
          </label>
          <ThesisFields thesis={item.thesis} />
          {error !== null && <Failure message={error} />}
          <div class="buttons">
            <button
              type="button"
              class="danger apart"
              disabled={isBusy}
              onClick={() =>
                void run(() => onChange(remove, t("{name} was removed.", { name: item.symbol })))
              }
            >
              {t("Remove")}
            </button>
            <button type="button" onClick={close}>
              {t("Cancel")}
            </button>
            <button type="submit" class="primary" disabled={isBusy}>
              {t("Save")}
            </button>
          </div>
        </form>
      )}
    </DialogButton>
  );
}

/** Why the user holds it, and the condition whose end is told. Both or neither are given. */
function ThesisFields({ thesis }: { readonly thesis: ListItem["thesis"] }) {
  const [text, setText] = useState(thesis?.text ?? "");
  const [holds, setHolds] = useState(thesis?.while ?? "");
  return (
    <>
      <label>
        {t("Thesis (optional)")}
        <input
          name="thesis"
          maxLength={300}
          required={holds !== ""}
          placeholder={t("I hold it while it earns well.")}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <label>
        {t("It holds while")}
        <input
          name="while"
          maxLength={300}
          required={text !== ""}
          placeholder="roe>25, revenue_growth>0"
          value={holds}
          onInput={(event) => setHolds(event.currentTarget.value)}
        />
      </label>
    </>
  );
}
