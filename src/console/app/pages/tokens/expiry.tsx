import { timeNow } from "#console/app/clock.ts";
import { dateOf } from "#console/app/days.ts";
import { useState } from "preact/hooks";
import { readText } from "#console/app/parts/form.ts";
import { t } from "#console/app/words.ts";

/** The choices of an expiry, as the server takes them; a date is chosen in its own field. */
const EXPIRIES = [
  ["30d", "in 30 days"],
  ["90d", "in 90 days"],
  ["1y", "in a year"],
  ["", "never"],
  ["date", "on a date"],
] as const;

/** The usual choices: a token can do more than a feed link, which is stored in the files of other programs. */
const USUAL = { api: "90d", feed: "1y" } as const;

/** When a new token or feed link ends, on every page with the same usual choice. `readExpiry` reads the answer. */
export function ExpiryField({ kind }: { readonly kind: keyof typeof USUAL }) {
  const [expiry, setExpiry] = useState<string>(USUAL[kind]);
  return (
    <>
      <label>
        {t("Expires")}
        <select
          name="expires"
          value={expiry}
          onChange={(event) => setExpiry(event.currentTarget.value)}
        >
          {EXPIRIES.map(([value, text]) => (
            <option key={value} value={value}>
              {t(text)}
            </option>
          ))}
        </select>
      </label>
      {expiry === "date" && (
        <label>
          {t("Last day")}
          <input name="date" type="date" required min={dateOf(timeNow(), true)} />
        </label>
      )}
    </>
  );
}

/** The chosen expiry, as the server takes it; null for never. */
export function readExpiry(form: FormData): string | null {
  const expires = readText(form, "expires");
  return (expires === "date" ? readText(form, "date") : expires) || null;
}
