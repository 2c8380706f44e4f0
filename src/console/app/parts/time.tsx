import { signal } from "@preact/signals";
import { formatAgo, formatInstant, formatUntil } from "#console/app/format.ts";

const TICK_MS = 10_000;

/** Changes as time passes, so that all ages on a page are of one moment. */
const tick = signal(0);
setInterval(() => tick.value++, TICK_MS);

/** How long ago an instant was; the instant itself appears under the pointer. @param at UTC milliseconds */
export function Ago({ at }: { readonly at: number }) {
  void tick.value;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatInstant(at)}>
      {formatAgo(at)}
    </time>
  );
}

/** The time until an instant, which itself appears under the pointer. @param at UTC milliseconds */
export function Until({ at }: { readonly at: number }) {
  void tick.value;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatInstant(at)}>
      {formatUntil(at)}
    </time>
  );
}
