import { type Static, Type } from "@sinclair/typebox";
import {
  applyToBars,
  applyToCloses,
  type PriceAdjustment,
  rawAdjustment,
  totalAdjustment,
} from "#analytics/adjusted-prices.ts";
import type { Closes } from "#analytics/price-statistics.ts";
import type { Country } from "#domain/country.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { invalidArgument } from "#domain/errors.ts";
import { isShare } from "#domain/instrument.ts";
import { IMPORT, type Provenance, type RecordKind } from "#domain/records.ts";
import { StringEnum } from "#domain/schema.ts";
import { type Adjustment, ADJUSTMENTS } from "#domain/split.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { formatKey } from "./reading/symbols.ts";

/** The arguments of an operation with past prices. */
export const AdjustInputs = {
  adjust: Type.Optional(
    StringEnum(ADJUSTMENTS, {
      description: "none: as traded; total: also for dividends.",
      aliases: {
        raw: "none",
        unadjusted: "none",
        splits: "split",
        total_return: "total",
        dividends: "total",
        all: "total",
      },
    }),
  ),
  adjusted: Type.Optional(Type.Boolean({ description: "false is adjust=none.", isSynonym: true })),
};

/** The field of an answer that names the adjustment. */
export const AdjustmentOutput = StringEnum(ADJUSTMENTS, {
  description: "Adjusted for splits, for nothing, or for splits and dividends.",
});

const Inputs = Type.Object(AdjustInputs);
type Inputs = Static<typeof Inputs>;

/** The adjustment that the arguments ask for. @throws BourseError if they contradict each other */
export function adjustmentOf({ adjust, adjusted }: Inputs): Adjustment {
  if (adjusted === false && adjust !== undefined && adjust !== "none") {
    throw invalidArgument(
      `adjusted=false is adjust=none and contradicts adjust=${adjust}; leave adjusted out.`,
      { param: "adjusted" },
    );
  }
  return adjust ?? (adjusted === false ? "none" : "split");
}

/** The records that an adjustment needs. */
export function recordsFor(adjustment: Adjustment): RecordKind[] {
  return { split: [], none: ["splits" as const], total: ["dividends" as const] }[adjustment];
}

/** Adjusts the split-adjusted prices of one instrument. */
export interface PriceAdjuster {
  readonly bars: (bars: BarSeries) => BarSeries;
  readonly closes: (closes: Closes) => Closes;
  /** The provenances of the records behind the adjustment. */
  readonly from: readonly Provenance[];
}

const AS_STORED: PriceAdjuster = { bars: (bars) => bars, closes: (closes) => closes, from: [] };

const adjusterOf = (adjustment: PriceAdjustment, from: readonly Provenance[]): PriceAdjuster => ({
  bars: (bars) => applyToBars(bars, adjustment),
  closes: (closes) => applyToCloses(closes, adjustment),
  from,
});

/** The result of `findAdjuster`. */
export type FoundAdjuster =
  | { readonly adjuster: PriceAdjuster; readonly reason: null }
  | { readonly adjuster: null; readonly reason: string };

/** The prices to adjust. */
export interface AdjusterInputs {
  readonly market: MarketStore;
  readonly instrument: StoredInstrument;
  /** Reads all split-adjusted closes of the instrument, oldest first. */
  readonly allCloses: () => Closes;
  /** The UTC date. */
  readonly today: string;
}

/** Finds the adjuster of an instrument's prices; without one, a sentence says why. */
export function findAdjuster(adjustment: Adjustment, inputs: AdjusterInputs): FoundAdjuster {
  if (adjustment === "split") return { adjuster: AS_STORED, reason: null };
  return adjustment === "none" ? findRaw(inputs) : findTotal(inputs);
}

/**
 * The adjuster of an instrument's prices.
 *
 * @throws BourseError `invalid_argument` that says why there is none, and what the operator can import
 */
export function getAdjuster(...args: Parameters<typeof findAdjuster>): PriceAdjuster {
  const { adjuster, reason } = findAdjuster(...args);
  if (adjuster) return adjuster;
  throw invalidArgument(reason, { param: "adjust" });
}

const OTHERWISE = "Leave adjust out for prices that are adjusted for splits.";

function findRaw({ market, instrument, today }: AdjusterInputs): FoundAdjuster {
  const { id, country, symbol, assetType } = instrument;
  if (!isShare(assetType)) return { adjuster: AS_STORED, reason: null };
  const splits = market.documents.find("splits", country, symbol);
  const isImported = market.bars.findProvenance(id)?.source === IMPORT;
  const ask = `The operator can import them with \`bourse import splits\`. ${OTHERWISE}`;
  if (isImported && splits?.source !== IMPORT) {
    const reason = `Prices of ${formatKey(instrument)} as traded are unknown: its prices were imported, and its splits were not. ${ask}`;
    return { adjuster: null, reason };
  }
  if (splits)
    return { adjuster: adjusterOf(rawAdjustment(splits.splits, today), [splits]), reason: null };
  return {
    adjuster: null,
    reason: `Prices of ${formatKey(instrument)} as traded are unknown: ${whyNoSplits(country)}. ${ask}`,
  };
}

/** Why the splits of a share are unknown, as a clause. */
export function whyNoSplits(country: Country): string {
  return country === "VN"
    ? "the source's prices are adjusted for share dividends and rights that it does not list"
    : "its splits are not stored yet";
}

function findTotal({ market, instrument, allCloses }: AdjusterInputs): FoundAdjuster {
  const { country, symbol, assetType } = instrument;
  const key = formatKey(instrument);
  const unknown = (why: string): FoundAdjuster => ({
    adjuster: null,
    reason: `The total return of ${key} is unknown: ${why}. ${OTHERWISE}`,
  });
  if (assetType === "index") return unknown("the dividends of an index are not stored");
  if (!isShare(assetType)) return { adjuster: AS_STORED, reason: null };
  const paid = market.documents.find("dividends", country, symbol);
  if (!paid)
    return unknown(
      "its dividends are not stored; the operator can import them with `bourse import dividends`",
    );
  const adjustment = totalAdjustment(allCloses(), paid.dividends);
  return adjustment
    ? { adjuster: adjusterOf(adjustment, [paid]), reason: null }
    : unknown("a dividend is as large as the price before it");
}
