import { updatedAt } from "#console/app/api.ts";
import { formatAgo } from "#console/app/format.ts";
import { place } from "#console/app/router.ts";
import { ROUTES } from "#console/app/routes.ts";
import { t } from "#console/app/words.ts";
import { useTime } from "./timer.ts";

const CLOCK_MS = 1_000;

/** How long ago the figures of the page were loaded, beside the page's edge. Pages without figures have none. */
export function Updated() {
  const at = updatedAt.value;
  useTime(CLOCK_MS);
  if (at === null || !showsFigures(place.value.path)) return null;
  return <p class="updated">{t("Updated {time}", { time: formatAgo(at) })}</p>;
}

function showsFigures(path: string): boolean {
  const route = ROUTES.find(({ pattern }) => pattern.test(path));
  if (route?.for !== "user" || path === "/console/connect") return false;
  return route.section !== "Connect" && route.section !== "You";
}
