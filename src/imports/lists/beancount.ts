import { CURRENCY_CODES } from "#domain/currency.ts";
import type { ListFile } from "#domain/list-file.ts";
import { quote } from "#imports/cells.ts";
import { refuseLongLine } from "./limits.ts";
import { type Identity, Positions } from "./positions.ts";

const COMMODITY = "[A-Z][A-Z0-9'._-]*";
const DIRECTIVE = /^(\d{4})[-/](\d\d)[-/](\d\d)\s+(\S+)\s*(.*)$/;
const OPTION = /^option\s+"(\w+)"\s+"([^"]*)"/;
const METADATA = /^\s+([a-z][\w-]*):\s*(.*)$/;
const POSTING = /^\s+(?:[!*&#?%]\s+)?(\p{Lu}[^\s:]*(?::[^\s:]+)+)\s*(.*)$/u;
const AMOUNT = new RegExp(`^([-+(\\d][-+*/().,\\d\\s]*?)\\s*(${COMMODITY})\\s*(.*)$`);

/** True for a ledger of beancount. */
export const isBeancount = (text: string): boolean =>
  /^\d{4}[-/]\d\d[-/]\d\d[ \t]+(?:commodity|open|close|balance|txn|[*!])[ \t]+\S/m.test(text);

/** A commodity as its directive describes it. */
interface Commodity {
  readonly place: string;
  readonly metadata: Map<string, string>;
}

/** The shares that a posting adds to an account. */
interface Posting {
  readonly place: string;
  readonly account: string;
  readonly date: string;
  readonly commodity: string;
  /** Null if it is not a plain number. */
  readonly units: number | null;
  readonly written: string;
  /** True without a cost and a price: it balances in its own commodity. */
  readonly isBare: boolean;
}

/** A transaction whose postings are being read. */
interface Transaction {
  readonly date: string;
  readonly postings: Posting[];
  /** The account whose amount is left out. */
  rest: { readonly account: string; readonly place: string } | null;
}

/** What a ledger holds. */
interface Ledger {
  assets: string;
  readonly currencies: Set<string>;
  readonly commodities: Map<string, Commodity>;
  readonly postings: Posting[];
  readonly padded: Set<string>;
  /** Commodities whose sum a `pad` changes. */
  readonly uncertain: Map<string, string>;
}

/** Reads a ledger: the commodities on accounts of assets, and those with a source of prices. */
export function* readBeancount(text: string, today: string): Generator<void, ListFile> {
  const positions = new Positions();
  const ledger: Ledger = {
    assets: "Assets",
    currencies: new Set(),
    commodities: new Map(),
    postings: [],
    padded: new Set(),
    uncertain: new Map(),
  };
  yield* readLines(text, ledger, positions);
  for (const [name, commodity] of ledger.commodities) {
    if (sourcesOf(commodity).length > 0 && !isMoney(name, ledger))
      positions.add(commodity.place, identityOf(name, ledger), null);
  }
  for (const [
    i,
    { place, account, date, commodity, units, written },
  ] of ledger.postings.entries()) {
    if (i % 1_000 === 999) yield;
    if (!account.startsWith(`${ledger.assets}:`)) continue;
    if (isMoney(commodity, ledger)) positions.remark(place, commodity, "cash");
    else if (date > today)
      positions.remark(place, commodity, `left out: its date ${date} is in the future`);
    else {
      const reason = ledger.uncertain.get(commodity) ?? `${quote(written)} is computed`;
      const isKnown = units !== null && !ledger.uncertain.has(commodity);
      positions.add(
        place,
        identityOf(commodity, ledger),
        isKnown ? { type: "trade", shares: units } : { type: "unknown", reason },
      );
    }
  }
  return { program: "beancount", ...positions.finish() };
}

/** True for a currency. Its rate has a source too; a share such as ALL has a source of its own symbol. */
function isMoney(name: string, { commodities, currencies }: Ledger): boolean {
  const isShare = sourcesOf(commodities.get(name)).some((one) => one.replace(/^.*:/, "") === name);
  return currencies.has(name) || (CURRENCY_CODES.has(name) && !isShare);
}

function* readLines(text: string, ledger: Ledger, positions: Positions): Generator<void, void> {
  let commodity: Commodity | null = null;
  let transaction: Transaction | null = null;
  for (const [i, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (i % 1_000 === 999) yield;
    refuseLongLine(line, i + 1);
    const place = `line ${i + 1}`;
    if (/^\s/.test(line)) {
      const [, key = "", value = ""] = METADATA.exec(line) ?? [];
      if (commodity && key) commodity.metadata.set(key, value.replace(/^"([^"]*)".*$/, "$1"));
      else if (transaction) readPosting(line, place, transaction);
      continue;
    }
    if (transaction) closeTransaction(transaction, ledger);
    commodity = transaction = null;
    const [, name = "", value = ""] = OPTION.exec(line) ?? [];
    if (name === "operating_currency") ledger.currencies.add(value);
    if (name === "name_assets") ledger.assets = value;
    const [, included] = /^include\s+"([^"]*)"/.exec(line) ?? [];
    if (included) positions.remark(place, included, "the included file is not read: import it too");
    const [, year, month, day, word = "", rest = ""] = DIRECTIVE.exec(line) ?? [];
    const date = `${year}-${month}-${day}`;
    if (word === "commodity") {
      const [written = ""] = rest.split(/\s/);
      commodity = { place, metadata: new Map() };
      ledger.commodities.set(written, commodity);
    } else if (word === "pad") ledger.padded.add(rest.split(/\s/)[0] ?? "");
    else if (word === "balance") noteBalance(rest, place, ledger);
    else if (/^(?:txn|[*!&#?%A-Z])$/.test(word)) transaction = { date, postings: [], rest: null };
  }
  if (transaction) closeTransaction(transaction, ledger);
}

/** A balance of a padded account adds an amount that the file does not say. */
function noteBalance(rest: string, place: string, { padded, uncertain }: Ledger): void {
  const [, account = "", commodity = ""] =
    new RegExp(`^(\\S+)\\s.*?(${COMMODITY})\\s*(?:;.*)?$`).exec(rest) ?? [];
  if (padded.has(account)) uncertain.set(commodity, `a pad fills its balance in ${place}`);
}

function readPosting(line: string, place: string, transaction: Transaction): void {
  const [, account, behind = ""] = POSTING.exec(line) ?? [];
  if (!account) return;
  const rest = behind.replace(/;.*$/, "").trim();
  const [, number, commodity, cost = ""] = AMOUNT.exec(rest) ?? [];
  if (number === undefined || commodity === undefined) {
    if (rest === "") transaction.rest = { account, place };
    return;
  }
  const plain = number.replaceAll(",", "").replaceAll(/\s/g, "");
  transaction.postings.push({
    place,
    account,
    date: transaction.date,
    commodity,
    units: /^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null,
    written: number,
    isBare: cost === "",
  });
}

/** Adds the postings; the account without an amount takes what the bare ones leave open. */
function closeTransaction({ date, postings, rest }: Transaction, ledger: Ledger): void {
  for (const one of postings) ledger.postings.push(one);
  if (!rest) return;
  for (const one of postings.filter(({ isBare }) => isBare)) {
    const units = one.units === null ? null : -one.units;
    ledger.postings.push({ ...one, ...rest, date, units });
  }
}

/** The symbols that a directive names: in `price: "USD:yahoo/AAPL"`, `symbol`, `ticker` and `export`. */
function sourcesOf(commodity: Commodity | undefined): string[] {
  const { metadata = new Map<string, string>() } = commodity ?? {};
  const priced = (metadata.get("price") ?? "").split(/[\s,]+/).flatMap((source) => {
    const [, reader = "", symbol] = /^(?:[A-Z]{3}:)?\^?([\w.]+)\/(.+)$/.exec(source) ?? [];
    return symbol ? [{ symbol, isYahoo: reader.includes("yahoo") }] : [];
  });
  const ranked = priced.toSorted((a, b) => Number(b.isYahoo) - Number(a.isYahoo));
  const [, exported] = /^([A-Z]+:[\w.-]+)/.exec(metadata.get("export") ?? "") ?? [];
  const named = [metadata.get("symbol"), metadata.get("ticker"), exported];
  return [
    ...new Set([...ranked.map(({ symbol }) => symbol), ...named.flatMap((one) => one || [])]),
  ];
}

function identityOf(name: string, { commodities }: Ledger): Identity {
  const commodity = commodities.get(name);
  const symbols = sourcesOf(commodity);
  return {
    symbols: symbols.length > 0 ? symbols : [name],
    isin: commodity?.metadata.get("isin"),
    name: commodity?.metadata.get("name"),
  };
}
