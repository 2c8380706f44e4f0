import { formatDate, formatList, formatPrice } from "#console/app/format.ts";
import { place, setQuery } from "#console/app/router.ts";
import { settings } from "#console/app/user-settings.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The currency of amounts: of the address, of the settings or `byDefault`; empty for the own currency of each instrument. */
export const chosenCurrency = (byDefault = "") =>
  place.value.query.get("currency") ?? settings.value.currency ?? byDefault;

/** The choice of the currency of amounts, which is kept in the address. */
export function CurrencyChoice(props: {
  readonly currencies: readonly string[];
  /** The currency without a choice; empty for the own currency of each instrument. */
  readonly byDefault?: string;
  /** True if amounts of several currencies cannot be shown. */
  readonly isOne?: boolean;
}) {
  const { currencies, byDefault = "", isOne = false } = props;
  const usual = settings.value.currency ?? byDefault;
  return (
    <select
      aria-label={t("Currency of amounts")}
      value={chosenCurrency(byDefault) || (isOne ? byDefault : "")}
      onChange={({ currentTarget: { value } }) =>
        setQuery({ currency: value === usual ? null : value })
      }
    >
      {!isOne && <option value="">{t("Own currency")}</option>}
      {currencies.map((currency) => (
        <option key={currency}>{currency}</option>
      ))}
    </select>
  );
}

type Rates = NonNullable<PayloadOf<"get_lists">["rates"]>;

/** The exchange rates of an answer with their dates: `Converted at USD/VND 26,310.00 (20 Nov 2026).` */
export const ratesText = (rates: Rates): string =>
  t("Converted at {rates}.", {
    rates: formatList(
      rates.map(({ from, to, rate, date }) => {
        const day = date === null ? "" : ` (${formatDate(date)})`;
        return `${from}/${to} ${formatPrice(rate)}${day}`;
      }),
    ),
  });
