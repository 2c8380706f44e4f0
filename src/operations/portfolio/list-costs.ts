import type { WrittenItem } from "#domain/list-file.ts";
import { changesShares, splitRatio } from "#domain/split.ts";
import type { Cost } from "#domain/user-list.ts";
import { isDate } from "#lib/date.ts";
import { CurrencyRates } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** A price paid that a list can have; null if it can have none. */
interface FoundCost {
  readonly cost: Cost | null;
  /** What was assumed, or why there is none, a clause; null if nothing was. */
  readonly remark: string | null;
}

const without = (reason: string): FoundCost => ({
  cost: null,
  remark: `taken without its price paid: ${reason}`,
});

/** A price paid differs from the close of its day by less than this factor. */
const NEAR_CLOSE = 2;
/** Without a day, it differs from the newest close by less. */
const NEAR_TODAY = 100;

/**
 * What a file says was paid for the shares of an item; null if it says nothing. A price on the day before a split can be
 * of old or of new shares: the close of the day shows which. A price that is far from it is left out, because it may be in
 * another unit. Our own file is read as it is.
 */
export function findCost(
  market: MarketStore,
  instrument: StoredInstrument,
  { cost, shares, boughtOn }: WrittenItem,
  { today, isOwn }: { readonly today: string; readonly isOwn: boolean },
): FoundCost | null {
  if (!cost || typeof shares !== "number") return null;
  const { country, currency: own } = instrument;
  const { price, date } = cost;
  const currency = cost.currency || own;
  const remark = cost.currency
    ? null
    : `the price paid is taken as ${own}, as the file names no currency`;
  if (date !== null && (!isDate(date) || date > today))
    return without(`${date} is no day of a purchase`);
  if (isOwn) return { cost: { price, currency, ...(date !== null && { date }) }, remark };
  const rates = new CurrencyRates(market);
  const splits = market.documents.find("splits", country, instrument.symbol)?.splits ?? [];
  const ratioSince = (day: string) =>
    splitRatio(
      splits.filter((one) => changesShares(one, country)),
      day,
      today,
    );
  if (date === null) {
    if (currency !== own)
      return without(
        `the price paid is in ${currency}, and its day is not known, so its rate is not`,
      );
    if (boughtOn !== null && ratioSince(boughtOn) !== 1)
      return without("the shares were bought on several days, and split since");
    const [newest] = market.bars.listNewest(instrument.id, 1);
    if (newest && !isNear(price, newest.close, NEAR_TODAY))
      return without(`the price paid, ${price}, is far from its price of ${newest.close} ${own}`);
    return { cost: { price, currency }, remark };
  }
  const rate = rates.findOn(currency, own, date);
  const close = market.bars.findAtOrBefore(instrument.id, date)?.close;
  // A market without the price or the rate of the day shows nothing.
  if (close === undefined || rate === null) return { cost: { price, currency, date }, remark };
  const ratio = ratioSince(date);
  if (isNear(price * rate, close * ratio, NEAR_CLOSE))
    return { cost: { price, currency, date }, remark };
  // A program has adjusted it: then it was a price of the day in old shares.
  if (isNear(price * rate, close, NEAR_CLOSE))
    return { cost: { price: price * ratio, currency, date }, remark };
  return without(
    `the price paid, ${price} ${currency}, is far from its close of ${Number((close * ratio).toPrecision(6))} ${own} on ${date}`,
  );
}

const isNear = (price: number, close: number, factor: number): boolean =>
  price / close < factor && close / price < factor;
