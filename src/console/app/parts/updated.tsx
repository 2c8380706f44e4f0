import { updatedAt } from "#console/app/api.ts";
import { pageDay } from "#console/app/clock.ts";
import { formatAgo } from "#console/app/format.ts";
import { place } from "#console/app/router.ts";
import { showsMarket } from "#console/app/routes.ts";
import { t } from "#console/app/words.ts";
import { useTime } from "./timer.ts";

const CLOCK_MS = 1_000;

/** How long ago the figures of the page were loaded, beside the page's edge. Pages without figures or of a past day have none. */
export function Updated() {
  const at = updatedAt.value;
  useTime(CLOCK_MS);
  if (at === null || pageDay.value !== null || !showsMarket(place.value.path)) return null;
  return <p class="updated">{t("Loaded {time}", { time: formatAgo(at) })}</p>;
}
