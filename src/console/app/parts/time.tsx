import { formatAgo, formatInstant, formatUntil } from "#console/app/format.ts";

/** How long ago an instant was; the instant itself appears under the pointer. @param at UTC milliseconds */
export function Ago({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatInstant(at)}>
      {formatAgo(at)}
    </time>
  );
}

/** The time until an instant, which itself appears under the pointer. @param at UTC milliseconds */
export function Until({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatInstant(at)}>
      {formatUntil(at)}
    </time>
  );
}
