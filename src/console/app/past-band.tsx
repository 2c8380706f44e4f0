import { factsOfToday } from "./api.ts";
import { pageDay, serviceNow } from "./clock.ts";
import { dateOf } from "./days.ts";
import { formatDate, formatList } from "./format.ts";
import { readForm, readText } from "./parts/form.ts";
import { pastDay } from "./past-day.ts";
import { addressDay, openDay } from "./router.ts";
import { t, translate } from "./words.ts";

/** The past day of the page, below the head, with what is not of that day, and the way back to the present. */
export function PastBand() {
  const facts = [...factsOfToday.value].map(translate);
  return (
    <section class="past" aria-label={t("Past day")}>
      {pastDay !== null && <b>{t("As of {date}", { date: formatDate(pastDay) })}</b>}{" "}
      <button type="button" onClick={() => openDay(null)}>
        {t("Back to today")}
      </button>{" "}
      {pageDay.value !== null && (
        <details>
          <summary>{t("Not of that day")}</summary>
          {formatList(facts)}
        </details>
      )}
      {pageDay.value === null && pastDay !== null && t("This page has no past: it shows today.")}
    </section>
  );
}

/** The choice of a past day, which all pages then show. */
export function DayChoice() {
  const latest = dateOf(serviceNow(), true);
  return (
    <form class="stack day-choice" onSubmit={(event) => openDay(readText(readForm(event), "day"))}>
      <label>
        {t("Show all pages as of")}
        <input name="day" type="date" required max={latest} defaultValue={addressDay ?? ""} />
      </label>
      <button type="submit">{t("Show")}</button>
    </form>
  );
}
