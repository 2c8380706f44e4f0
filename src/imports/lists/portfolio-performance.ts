import type { ListFile } from "#domain/list-file.ts";
import { cleanText } from "#imports/cells.ts";
import { CsvError } from "#lib/csv.ts";
import { readXmlTags, XmlError, type XmlTag, xmlAttributes } from "#lib/xml.ts";
import { type Move, Positions } from "./positions.ts";

/** Tags that are read before others get their turn. */
const TAGS_PER_TURN = 5_000;
const MAX_DEPTH = 500;
const LONGEST_TEXT = 1_000_000;

/** The decimals of shares: the first version of the file with them, and what one share is there. */
const DECIMALS = [
  [49, 1e8],
  [26, 1e6],
  [0, 1e5],
] as const;

/** The elements that are transactions of a securities account. The same transaction elsewhere is a reference. */
const TRANSACTIONS: ReadonlySet<string> = new Set([
  "portfolio-transaction",
  "portfolioTransaction",
  "transactionFrom",
  "transactionTo",
]);

const SIGNS: Readonly<Record<string, 1 | -1>> = {
  BUY: 1,
  DELIVERY_INBOUND: 1,
  TRANSFER_IN: 1,
  SELL: -1,
  DELIVERY_OUTBOUND: -1,
  TRANSFER_OUT: -1,
};

/** An element whose children are being read: its texts by name, and what its `security` refers to. */
interface Element {
  readonly name: string;
  readonly id: string | undefined;
  readonly texts: Map<string, string>;
  security: string | null;
}

interface Security {
  readonly texts: ReadonlyMap<string, string>;
  readonly number: number;
}

/** What a file holds, in the order of the file. */
interface Content {
  version: number;
  readonly securities: Security[];
  readonly byId: Map<string, Security>;
  readonly trades: { readonly security: string; readonly texts: ReadonlyMap<string, string> }[];
}

/**
 * Reads the XML file of Portfolio Performance: every security, with the shares of all its securities accounts.
 *
 * @throws CsvError if it is not such a file
 */
export function* readPortfolioPerformance(xml: string, today: string): Generator<void, ListFile> {
  const content: Content = { version: 0, securities: [], byId: new Map(), trades: [] };
  try {
    yield* readElements(xml, content);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new CsvError(1, `the XML cannot be read: ${error.message}`);
  }
  const positions = new Positions();
  const traded = yield* addTrades(content, positions, today);
  for (const one of content.securities) {
    if (traded.has(one)) continue;
    const place = `security ${one.number}`;
    const name = one.texts.get("name") ?? "";
    const identity = identityOf(one);
    if (one.texts.get("isRetired") === "true") positions.remark(place, name, "inactive");
    else if (one.texts.get("feed") === "EUROSTATHICP")
      positions.remark(place, name, "a price index");
    else if (!identity.symbols[0] && !identity.isin && !identity.name) {
      positions.remark(place, place, "has no symbol, ISIN or name");
    } else positions.add(place, identity, null);
  }
  return { program: "Portfolio Performance", ...positions.finish() };
}

function* readElements(xml: string, content: Content): Generator<void, void> {
  const open: Element[] = [];
  let tags = 0;
  for (const tag of readXmlTags(xml, LONGEST_TEXT)) {
    if (++tags % TAGS_PER_TURN === 0) yield;
    if (tags === 1 && tag.name !== "client") {
      throw new CsvError(
        1,
        `this is XML of another program: its root is <${cleanText(tag.name).slice(0, 40)}>, in a file of Portfolio Performance <client>`,
      );
    }
    if (tag.kind === "start") {
      if (open.length > MAX_DEPTH) throw new XmlError("it is nested too deeply");
      noteReference(tag, open.at(-1));
      open.push({ name: tag.name, id: idOf(tag), texts: new Map(), security: null });
      continue;
    }
    if (tag.kind === "empty") {
      noteReference(tag, open.at(-1));
      continue;
    }
    const element = open.pop();
    if (element?.name !== tag.name) throw new XmlError(`</${tag.name.slice(0, 40)}> closes no tag`);
    closeElement(element, tag.textBefore, open, content);
  }
  if (open.length > 0) throw new XmlError("it is cut off");
}

/** Only these have ids that are needed. Prices are by far the most tags. */
const idOf = (tag: XmlTag): string | undefined =>
  tag.name === "security" ? xmlAttributes(tag).get("id") : undefined;

function noteReference(tag: XmlTag, parent: Element | undefined): void {
  if (tag.name === "security" && parent)
    parent.security = xmlAttributes(tag).get("reference") ?? null;
}

function closeElement(
  element: Element,
  text: string,
  open: readonly Element[],
  content: Content,
): void {
  const { name, texts } = element;
  if (name === "security" && open.at(-1)?.name === "securities" && open.length === 2) {
    const security = { texts, number: content.securities.length + 1 };
    content.securities.push(security);
    if (element.id !== undefined) content.byId.set(element.id, security);
  } else if (TRANSACTIONS.has(name) && element.security !== null) {
    content.trades.push({ security: element.security, texts });
  } else if (name === "version" && open.length === 1) content.version = Number(text);
  else if (texts.size === 0) open.at(-1)?.texts.set(name, text);
}

/** Adds the transactions and returns the securities that have some. */
function* addTrades(
  content: Content,
  positions: Positions,
  today: string,
): Generator<void, Set<Security>> {
  const traded = new Set<Security>();
  const unit = DECIMALS.find(([version]) => content.version >= version)?.[1] ?? Number.NaN;
  for (const [i, { security, texts }] of content.trades.entries()) {
    if (i % TAGS_PER_TURN === TAGS_PER_TURN - 1) yield;
    const sign = SIGNS[texts.get("type") ?? ""];
    const found = findSecurity(content, security);
    if (!found) {
      positions.remark(
        `transaction ${i + 1}`,
        security.slice(-60),
        "its security is not in the file",
      );
      continue;
    }
    traded.add(found);
    const [date = null] = /^\d{4}-\d\d-\d\d/.exec(texts.get("date") ?? "") ?? [];
    if (date !== null && date > today) {
      const { symbols, isin, name } = identityOf(found);
      const reason = `left out: its date ${date} is in the future`;
      positions.remark(`transaction ${i + 1}`, symbols[0] || isin || name, reason);
      continue;
    }
    const count = Number(texts.get("shares") ?? Number.NaN) / unit;
    const move: Move =
      sign !== undefined && Number.isFinite(count)
        ? { type: "trade", shares: sign * count }
        : { type: "unknown", reason: `transaction ${i + 1} has no known type or number of shares` };
    positions.add(`security ${found.number}`, identityOf(found), move, date);
  }
  return traded;
}

/** The security of a reference: an id, or a path that ends in `securities/security[3]`. */
function findSecurity({ byId, securities }: Content, reference: string): Security | undefined {
  const [path, number] = /securities\/security(?:\[(\d+)\])?$/.exec(reference) ?? [];
  return path === undefined ? byId.get(reference) : securities[Number(number ?? 1) - 1];
}

function identityOf({ texts }: Security) {
  const symbol = cleanText(texts.get("tickerSymbol") ?? "");
  const isin = (texts.get("isin") ?? "").trim().toUpperCase();
  const name = cleanText(texts.get("name") ?? "").slice(0, 200);
  return {
    symbols: symbol ? [symbol] : [],
    isin,
    name,
    currency: (texts.get("currencyCode") ?? "").trim(),
    note: cleanText(texts.get("note") ?? ""),
  };
}
