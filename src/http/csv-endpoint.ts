import { LINK_MS } from "#access/call-link.ts";
import type { Guard } from "#access/guard.ts";
import type { Quota } from "#access/quota.ts";
import type { Principal } from "#access/principals.ts";
import { BourseError, notFound } from "#domain/errors.ts";
import { type Decimal, DECIMALS, formatCsv } from "#lib/csv.ts";
import {
  canonicalCall,
  decodeTableCall,
  type MakeCsvLink,
  readDecimal,
  readWholeTable,
  type TableCall,
} from "#operations/csv-link.ts";
import type { CachedAnswer } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { namesOfLists } from "#operations/portfolio/list-references.ts";
import type { Operation } from "#operations/operation.ts";
import { DataAnswers, ErrorAnswers, type ErrorAnswersParts } from "./answers.ts";
import type { BoundedAnswers } from "./bounded-answers.ts";
import { EVERY_ANSWER } from "./headers.ts";
import { addressOf } from "./service-address.ts";
import type { Trace } from "./trace.ts";

/** The paths of files by link. The URL begins with the `Host` header if that is a host. */
export const CSV_PATH = /^(?:https?:\/\/[^/?#]*)?\/csv\/([^?#]*)/;

/** The parameter of the signature. */
const LINK = "link";
/** A parameter that the signature leaves out, because it changes no figure. */
const DECIMAL = "decimal";

/** The headers of every answer. The signature is in the URL, so no page that is opened from it may get the URL. */
const FIXED = { ...EVERY_ANSWER, "Referrer-Policy": "no-referrer" };

/** The dependencies of `CsvEndpoint`. */
export interface CsvParts extends ErrorAnswersParts {
  readonly guard: Guard;
  readonly bounded: BoundedAnswers;
  /** Where clients reach the service, without a slash at the end; null if not set. */
  readonly publicUrl?: string | null;
}

/** Makes links to the CSV of a call, and answers them: signature, quota, all rows. One download is one call. */
export class CsvEndpoint {
  readonly #parts: CsvParts;
  readonly #errors: ErrorAnswers;
  readonly #csv = new DataAnswers("text/csv; charset=utf-8; header=present", FIXED);

  constructor(parts: CsvParts) {
    this.#parts = parts;
    this.#errors = new ErrorAnswers({ ...FIXED, "Cache-Control": "no-store" }, parts);
  }

  /** What makes links for the caller of an authenticated request; the numbers of their CSV have that decimal mark. */
  makerFor(request: Request, decimal: Decimal = DECIMALS[0]): MakeCsvLink {
    const { clock, guard, publicUrl } = this.#parts;
    return async ({ operation, args }) => {
      const expiresAt = Math.floor((clock() + LINK_MS) / 1000);
      const query = new URLSearchParams(args);
      if (decimal !== DECIMALS[0]) query.set(DECIMAL, decimal);
      const call = canonicalCall(operation, args);
      const authorization = request.headers.get("authorization");
      query.set(LINK, await guard.signLink(authorization, call, expiresAt));
      return {
        url: `${publicUrl ?? addressOf(request)}/csv/${operation.name}.csv?${query.toString()}`,
        expiresAt: new Date(expiresAt * 1000).toISOString(),
      };
    };
  }

  /** @param file the path below `/csv/`, without a query */
  async answer(request: Request, file: string, trace: Trace | null): Promise<Response> {
    if (trace) trace.via = "rest";
    const { guard, bounded } = this.#parts;
    let quota: Quota | null = null;
    try {
      refuseOtherMethods(request);
      const operation = findOperation(file);
      if (trace) trace.operation = operation.name;
      const { args, link, decimal } = readQuery(request);
      const principal = await guard.authenticateLink(link, canonicalCall(operation, args));
      if (trace) trace.tokenId = principal.tokenId;
      const charge = await guard.charge(principal);
      ({ quota } = charge);
      if (charge.denied) throw charge.denied;
      const call = decodeTableCall(operation, args);
      const { first, table } = await bounded.make(request.signal, (executor) =>
        readWholeTable(executor, call, holderOf(principal, call)),
      );
      const csv: CachedAnswer = { ...first, body: formatCsv(table, decimal) };
      const etag = `"${Bun.hash(csv.body).toString(36)}.csv"`;
      return await this.#csv.answer(request, { ...csv, etag }, quota, this.#parts.clock());
    } catch (thrown) {
      const response = this.#errors.answer(thrown, quota, trace);
      if (response.status === 405) response.headers.set("Allow", "GET, HEAD");
      return response;
    }
  }
}

/** Who reads a link, which is passed on. Errors name only lists of the call. */
function holderOf(signer: Principal, { operation, args }: TableCall): Principal {
  const named = namesOfLists(operation, args);
  return named.length > 0 && signer.lists === null ? { ...signer, lists: named } : signer;
}

function refuseOtherMethods({ method }: Request): void {
  if (method === "GET" || method === "HEAD") return;
  throw new BourseError("method_not_allowed", "A link answers GET and HEAD only.");
}

function findOperation(file: string): Operation {
  const found = OPERATIONS.find(({ name, table }) => table && `${name}.csv` === file);
  if (found) return found;
  throw notFound("There is no such file.", {
    hint: "Make a call with as=csv_link: its answer has the link to its CSV.",
  });
}

/** The parts of a query: arguments, signature and decimal mark. @throws BourseError `missing_auth`, `invalid_token` */
function readQuery({ url }: Request): {
  args: Record<string, string>;
  link: string;
  decimal: Decimal;
} {
  const mark = url.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark).replace(/#.*/, ""));
  const link = query.get(LINK);
  if (!link) {
    throw new BourseError(
      "missing_auth",
      "The link is incomplete: its end with the signature is missing.",
      { hint: "Open the whole link, or make the call with as=csv_link for a new one." },
    );
  }
  const names = [...query.keys()];
  if (new Set(names).size < names.length) {
    throw new BourseError("invalid_token", "The link was altered: a parameter is in it twice.", {
      hint: "Open the link as it was made, or make the call with as=csv_link for a new one.",
    });
  }
  const decimal = readDecimal(query.get(DECIMAL));
  query.delete(LINK);
  query.delete(DECIMAL);
  return { args: Object.fromEntries(query), link, decimal };
}
