import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { Country } from "#domain/country.ts";
import type { Need } from "#domain/fetch.ts";
import type { Provenance } from "#domain/records.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";

/** What a handler may use. Time is passed in: a handler never reads a clock. */
export interface OperationContext {
  readonly market: MarketStore;
  /** Ready for the countries that the operation's `companiesOf` names. */
  readonly rollups: Pick<CompanyRollups, "get">;
  /** UTC milliseconds. */
  readonly now: number;
}

/** What a handler returns: the payload, and the records it was made from. */
export interface HandlerResult<T> {
  readonly data: T;
  readonly from: Iterable<Provenance>;
}

/**
 * One thing that the service can do. It stands here once; the REST route, the MCP tool, the OpenAPI
 * entry and the `call` command are read off it.
 */
export interface Operation<Input extends TObject = TObject, Output extends TSchema = TSchema> {
  /** The MCP tool's name: `get_stock_overview`. */
  readonly name: string;
  readonly title: string;
  /** For agents and for OpenAPI: what it gives, when to use it, when not, and what instead. */
  readonly description: string;
  /** The REST path below the version's mount; `{symbol}` stands for a property of the input. */
  readonly path: string;
  /** Every argument, under one name on all interfaces. */
  readonly input: Input;
  /** The payload (`data` of the envelope). */
  readonly output: Output;
  /** Arguments whose unknown values are answered with `not_found`, not with `invalid_argument`. */
  readonly notFound?: readonly string[];
  /** True where the envelope carries no `country` even if one was asked for. */
  readonly omitsCountry?: true;
  /** What must be there and fresh before `handle` is called, where sources are live. */
  needs?(input: Static<Input>): readonly Need[];
  /** The countries of which `handle` reads all companies. */
  companiesOf?(input: Static<Input>): readonly Country[];
  handle(input: Static<Input>, context: OperationContext): HandlerResult<Static<Output>>;
}

/** Declares an operation, with the handler's types read off its schemas. */
export function defineOperation<Input extends TObject, Output extends TSchema>(
  operation: Operation<Input, Output>,
): Operation {
  return operation;
}
