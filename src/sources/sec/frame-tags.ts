import { type FlowPart, type InstantPart, TAGS } from "./tags.ts";

/** A tag whose frames are fetched. */
export interface FrameTag {
  readonly tag: string;
  readonly unit: "USD" | "shares" | "USD/shares";
  /** The flow that it gives; null for a balance; absent for figures per share. */
  readonly part?: FlowPart | null;
}

/** Flows that frames have, but that make no statement of their own. */
const ADDITIONS: ReadonlySet<FlowPart> = new Set([
  "software",
  "shortTermBorrowed",
  "shortTermRepaid",
  "inventoryChange",
]);

/** Parts that make no statement of their own; frames do not have them. */
const DETAILS: ReadonlySet<FlowPart | InstantPart> = new Set([
  "premiums",
  "incomeToParent",
  "preferredLiquidation",
  "depreciationExpense",
  "amortisationExpense",
  "investmentProperty",
  "researchAndDevelopment",
  "sellingGeneralAdministrative",
  "selling",
  "generalAdministrative",
  "interestExpense",
  "stockCompensation",
  "dividends",
  "commonDividends",
  "preferredDividends",
  "preferredDeclared",
  "shareRepurchases",
  "cashAndRestricted",
  "restrictedCash",
  "longTermInvestments",
  "otherCurrentAssets",
  "receivables",
  "goodwill",
  "intangibleAssets",
  "payables",
  "otherPayables",
  "otherInventory",
  "operatingLeases",
  "currentOperatingLeases",
  "noncurrentOperatingLeases",
  "financeLeases",
  "capitalLeases",
  "currentFinanceLeases",
  "noncurrentFinanceLeases",
  "redeemableEquity",
  "otherDebt",
  "wholeDebt",
  "convertibleDebt",
  "cashInBanks",
  "depositsInBanks",
]);

/** The flows that make a statement. */
export const MAIN_FLOWS: readonly FlowPart[] = (
  Object.keys(TAGS.get("us-gaap")?.flows ?? {}) as FlowPart[]
).filter((part) => !DETAILS.has(part) && !ADDITIONS.has(part));

/** Tags that the taxonomy has not had since 2019, and tags of very few companies. */
const NOT_IN_FRAMES: ReadonlySet<string> = new Set([
  "InventoryNetOfAllowancesCustomerAdvancesAndProgressBillings",
  "LoansPayableCurrent",
  "NotesAndLoansPayableCurrent",
  "LinesOfCreditCurrent",
  "ProceedsFromRepaymentsOfOtherShortTermDebt",
  "SalesRevenueNet",
  "SalesRevenueGoodsNet",
  "SalesRevenueServicesNet",
  "RealEstateRevenueNet",
  "CostOfGoodsSold",
  "AvailableForSaleSecuritiesCurrent",
]);

/** The tags for US companies whose frames are fetched, each once: those that filings still use. */
export function frameTags(): FrameTag[] {
  const table = TAGS.get("us-gaap");
  if (!table) return [];
  const flows = Object.entries(table.flows) as [FlowPart, readonly string[]][];
  const instants = Object.entries(table.instants) as [InstantPart, readonly string[]][];
  const all: FrameTag[] = [
    ...flows
      .filter(([part]) => !DETAILS.has(part))
      .flatMap(([part, tags]) => tags.map((tag) => ({ tag, unit: "USD", part }) as const)),
    ...table.epsDiluted.map((tag) => ({ tag, unit: "USD/shares" }) as const),
    ...table.sharesDiluted.map((tag) => ({ tag, unit: "shares" }) as const),
    ...instants
      .filter(([part]) => !DETAILS.has(part))
      .flatMap(([, tags]) => tags.map((tag) => ({ tag, unit: "USD", part: null }) as const)),
  ];
  return all.filter(({ tag }) => !NOT_IN_FRAMES.has(tag));
}
