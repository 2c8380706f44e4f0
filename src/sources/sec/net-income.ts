import { ownMinority, type Sheet, type Sheets } from "./balance-sheet.ts";
import type { Fact } from "./facts.ts";
import { type Ledger, listFacts } from "./ledger.ts";

/** Net income of the company and the minority owners of its subsidiaries. */
const WITH_MINORITY = "ProfitLoss";
const OF_MINORITY = [
  "NetIncomeLossAttributableToNoncontrollingInterest",
  "MinorityInterestInNetIncomeLossOfConsolidatedEntities",
  "ProfitLossAttributableToNoncontrollingInterests",
];
/** Minority owners with less than this part of the equity hardly change the income. */
const SMALL_MINORITY = 0.02;

/**
 * The facts of net income, one list for each tag. Income that minority owners share is without their part. It is left
 * out if that is not stated and the balance sheet has a minority interest.
 */
export function netIncomeFacts(ledger: Ledger, sheets: Sheets): readonly (readonly Fact[])[] {
  const keyOf = ({ filing, start, end }: Fact) => `${filing} ${start} ${end}`;
  const minority = new Map(
    OF_MINORITY.flatMap((tag) => listFacts(ledger, tag)).map((fact) => [keyOf(fact), fact.value]),
  );
  return ledger.tags.flows.netIncome.map((tag) => {
    const facts = listFacts(ledger, tag);
    if (tag !== WITH_MINORITY) return facts;
    return facts.flatMap((fact) => {
      const share = minority.get(keyOf(fact));
      if (share !== undefined) return [{ ...fact, value: fact.value - share }];
      return hasMinority(sheets.at(fact.end)) ? [] : [fact];
    });
  });
}

function hasMinority(at: Sheet): boolean {
  const all = Math.abs(at.equityWithMinority ?? at.equity ?? 0);
  // Minority interest that may be redeemed is outside of all equity.
  return [ownMinority(at), at.redeemableMinority].some(
    (part) => Math.abs(part ?? 0) > SMALL_MINORITY * all,
  );
}
