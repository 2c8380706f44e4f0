import type { Instrument } from "#domain/instrument.ts";
import { CsvError } from "#lib/csv.ts";
import { readWorkbook } from "#lib/workbook.ts";
import { type WorkbookCell, WorkbookError } from "#lib/workbook-error.ts";
import { checkRowCount } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { type ListReading, readList } from "#sources/list.ts";
import { orError } from "#sources/or-error.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";
import { readEnglishNames } from "./english-names.ts";
import { listedIssuesReader } from "./listed-issues.ts";
import { JPX } from "./source.ts";

const HOST = "https://www.jpx.co.jp";
const FOLDER = "/markets/statistics-equities/misc";
/** The folder of the workbooks, below `FOLDER`. */
const FILES = "tvdivq0000001vg2-att";

/** The two workbooks; the English one is null if JPX has none. */
interface Lists {
  readonly japanese: Uint8Array;
  readonly english: Uint8Array | SourceError;
}

const WORKBOOK = { form: "workbook" } as const;

/**
 * Every stock, ETF and REIT listed in Tokyo, from JPX's monthly workbooks. A name is English if the
 * English list has it, with the Japanese name as an alias.
 */
export const jpxInstruments = defineFetcher({
  kind: "instruments",
  source: JPX,
  countries: ["JP"],
  scope: "country",
  async fetch(_query, client): Promise<Lists> {
    const japanese = await fetchWorkbook(client, FOLDER, "data_j");
    return {
      japanese,
      english: await orError(() => fetchWorkbook(client, `/english${FOLDER}`, "data_e")),
    };
  },
  lacks({ english }) {
    const isRead = !(english instanceof SourceError) && readEnglishNames(english).size > 0;
    const why = english instanceof SourceError ? english.words : "its list has another form";
    return isRead ? [] : [{ what: "English names", why }];
  },
  *transform({ japanese, english }: Lists) {
    const instruments = yield* readListing(japanese);
    if (instruments.length === 0) {
      throw JPX.error("nothing", "the list is empty");
    }
    const names = english instanceof SourceError ? null : readEnglishNames(english);
    for (const instrument of instruments) {
      const name = names?.get(instrument.symbol);
      yield name === undefined ? instrument : { ...instrument, name, aliases: instrument.name };
    }
  },
});

/**
 * The workbook at its known address, else at the address that the page links to, else in the format
 * used before September 2026.
 */
async function fetchWorkbook(
  client: SourceClient,
  folder: string,
  file: string,
): Promise<Uint8Array> {
  const known = await orNull(client.request(`${HOST}${folder}/${FILES}/${file}.xlsx`, WORKBOOK));
  if (known) return known.bytes;
  const page = await orNull(client.request(`${HOST}${folder}/01.html`, { form: "page" }));
  const link = page && findLink(page.text(), `${HOST}${folder}/01.html`, file);
  const linked = link === null ? null : await orNull(client.request(link, WORKBOOK));
  if (linked) return linked.bytes;
  return (await client.request(`${HOST}${folder}/${FILES}/${file}.xls`, WORKBOOK)).bytes;
}

/** The address of the workbook that a page of JPX links to, `.xlsx` first; null if there is no link. */
export function findLink(html: string, page: string, file: string): string | null {
  const links = linksOf(html, page);
  for (const suffix of [".xlsx", ".xls"]) {
    const link = links.find(({ pathname }) => pathname.endsWith(`/${file}${suffix}`));
    if (link) return link.href;
  }
  return null;
}

/** The links of a page of JPX to addresses of JPX, in their order. */
export function linksOf(html: string, page: string): URL[] {
  return [...html.matchAll(/\bhref=["']([^"'<>\s]{1,500})["']/gi)]
    .map(([, href = ""]) => URL.parse(href.replaceAll("&amp;", "&"), page))
    .filter((url): url is URL => url?.origin === HOST);
}

function* readListing(bytes: Uint8Array): ListReading<Instrument[]> {
  const [header = [], ...rows] = readWorkbookOf(bytes);
  checkRowCount(JPX, rows.length);
  const { symbolOf, read } = orInvalid(() => listedIssuesReader({ line: 1, cells: header }));
  const instruments = yield* readList(
    rows,
    (cells, number) => orInvalid(() => read({ line: number + 1, cells })),
    symbolOf,
  );
  return instruments.filter((instrument) => instrument !== null);
}

function readWorkbookOf(bytes: Uint8Array): WorkbookCell[][] {
  try {
    return readWorkbook(bytes);
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw JPX.error("invalid_answer", `the list cannot be read: ${error.message}`);
  }
}

/** The result. @throws SourceError `invalid_answer` if a row is not in the known form */
function orInvalid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw JPX.error("invalid_answer", `the list, row ${error.line}: ${error.message}`);
  }
}

/** The result, or null if the source answers 404. */
async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof SourceError && error.fault === "nothing") return null;
    throw error;
  }
}
