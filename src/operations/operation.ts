import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { BriefMarks } from "#domain/brief.ts";
import type { Country } from "#domain/country.ts";
import type { Need } from "#domain/fetch.ts";
import type { Provenance } from "#domain/records.ts";
import type { Right } from "#domain/rights.ts";
import type { OwnAlerts } from "#domain/user-alerts.ts";
import type { OwnDocuments } from "#domain/user-documents.ts";
import { Nullable } from "#domain/schema.ts";
import type { Table } from "#lib/table.ts";
import { MISSING } from "#panels/format.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";
import { type NotRewound, withKnownOnInput, withKnownOnOutput } from "./known-day.ts";
import type { DecodedArguments, RawArguments } from "./reading/decode.ts";
import { ReasonsOutput, type WhyMissing } from "./reasons.ts";

/** The context of a handler. A handler never reads a clock: `now` is the time of the call. */
export interface OperationContext {
  readonly market: MarketStore;
  /** Roll-ups, which are ready for the countries of the operation's `companiesOf`. */
  readonly rollups: Pick<CompanyRollups, "get">;
  /** UTC milliseconds. */
  readonly now: number;
}

/** The context of an operation on the caller's own data. */
export interface OwnContext extends OperationContext {
  readonly own: OwnDocuments;
  /** The marks of the caller's token; null without one. */
  readonly marks: BriefMarks | null;
  /** The alerts of the caller. @throws BourseError `forbidden` if the caller reads only some lists, or none */
  alerts(this: void): OwnAlerts;
  /** Fetches the records that are not fresh, if sources are live, as `needs` of other operations does. */
  refresh(this: void, needs: readonly Need[]): Promise<void> | undefined;
}

/** The result of a handler: the payload, and the provenance of the records in it. */
export interface HandlerResult<T> {
  readonly data: T;
  readonly from: Iterable<Provenance>;
  /** Why figures of the payload are missing. It is called only if some are. */
  readonly why?: WhyMissing;
}

/** The sets of tools from which an MCP client can choose, by `tools` of its address or `--tools`. */
export const TOOL_SETS = ["market", "company", "prices", "lists", "alerts"] as const;

/** A set of tools. */
export type ToolSet = (typeof TOOL_SETS)[number];

/** The methods of routes that change something. */
export type WriteMethod = "PUT" | "DELETE";

/** A REST route of an operation. */
export interface Route {
  /** The name in OpenAPI: `get_stock_ratios`. */
  readonly name: string;
  readonly title: string;
  /** GET if left out. The arguments of a PUT that are not in the path are the fields of its JSON body. */
  readonly method?: WriteMethod;
  /** The REST path below the version's prefix; `{symbol}` is a property of the input. */
  readonly path: string;
  /** The schema of the arguments. */
  readonly input: TObject;
  /** Arguments of the operation that the path implies. */
  readonly implied?: RawArguments;
  /**
   * The arguments with the defaults that depend on others or on the interface.
   *
   * @throws BourseError if they contradict each other
   */
  complete?(this: void, input: DecodedArguments): DecodedArguments;
}

/**
 * The declaration of an operation. The REST route, the MCP tool, the OpenAPI entry and the `call`
 * command are derived from it.
 */
export interface Operation<
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
  Name extends string = string,
> {
  /** The name of the MCP tool: `get_stock_overview`. */
  readonly name: Name;
  /** The set of tools that it belongs to. */
  readonly set: ToolSet;
  readonly title: string;
  /** For agents and OpenAPI: what it returns, when to use it, and what to use instead. */
  readonly description: string;
  /** The REST path below the version's prefix; `{symbol}` is a property of the input. */
  readonly path: string;
  /** Other paths that are accepted and not published. */
  readonly otherPaths?: readonly string[];
  /**
   * The schema of the arguments, which have the same names on all interfaces: texts, whole numbers and booleans, each
   * with a description and limits. It has at least one, because some hosts of models refuse all tools if one has none.
   */
  readonly input: Input;
  /** The schema of the payload (`data` of the envelope). `defineOperation` adds the source. */
  readonly output: Output;
  /**
   * The key under which the pipeline adds the sources of the records to the payload: `source` by default,
   * `Source` in a display panel. Null if the entries of the payload name their sources themselves.
   */
  readonly sourceKey?: "Source" | null;
  /**
   * Optional arguments that exclude others with an example, or that name what a user must have made. They have no example
   * in OpenAPI, so that a call with all examples succeeds.
   */
  readonly withoutExample?: readonly string[];
  /** Arguments whose unknown values are refused with `not_found` instead of `invalid_argument`. */
  readonly notFound?: readonly string[];
  /**
   * The operation has the argument `known_on` and answers as known on that day, except for these facts. Left out if its
   * answers have no day.
   */
  readonly notRewound?: readonly NotRewound[];
  /** True if the tool ignores unknown arguments: clients that knew it without arguments send a dummy. */
  readonly ignoresUnknown?: true;
  /** True if the envelope has no `country` although the arguments have one; see `carriesCountry`. */
  readonly omitsCountry?: true;
  /** As `Route.complete`, for calls over MCP, of commands, and over REST without `routes`. */
  complete?(this: void, input: DecodedArguments): DecodedArguments;
  /** The REST routes, if they are not just `path` with `input`. `path` is one of them. */
  readonly routes?: readonly Route[];
  /**
   * True if it is about the caller's own data: `handle` gets an `OwnContext`, and its answers are never cached.
   */
  readonly own?: true;
  /** The right that a token needs. An operation without one only reads. */
  readonly right?: Right;
  /** As `Route.method`. */
  readonly method?: WriteMethod;
  /** True if it deletes something. */
  readonly deletes?: true;
  /** The records that must be fresh before `handle` is called, if sources are live. */
  needs?(input: Static<Input>): readonly Need[];
  /** True for an answer of an empty market. A live service whose sources refused is unavailable instead. */
  isEmpty?(data: Static<Output>, input: Static<Input>): boolean;
  /** The countries whose roll-ups `handle` reads. */
  companiesOf?(input: Static<Input>): readonly Country[];
  /** Computes in slices what would take too long in `handle`. Undefined if nothing does. */
  prepare?(input: Static<Input>, context: OperationContext): Promise<void> | undefined;
  /** A promise if it reads for more than some milliseconds: it then works in several turns. */
  handle(
    input: Static<Input>,
    context: OperationContext,
  ): HandlerResult<Static<Output>> | Promise<HandlerResult<Static<Output>>>;
  /** Arguments that an answer as a table always has, as text. */
  readonly tableArguments?: Readonly<Record<string, string>>;
  /** The payload as a table, for CSV over REST. Every operation without a `right` has one. */
  table?(this: void, data: Static<Output>, input: Static<Input>): TablePage;
}

/** A table, or the rows of a page. */
export interface TablePage extends Table {
  /** The number of rows on all pages; left out if the table is complete. */
  readonly total?: number | undefined;
  /** The arguments that the next page adds to this one; null on the last page. */
  readonly next?: Readonly<Record<string, string>> | null;
}

/** The REST routes of an operation: by default one, `path` with `input`. */
export function routesOf(operation: Operation): readonly Route[] {
  return operation.routes ?? [operation];
}

/** The route of REST, which allows more rows, if there is one for all arguments; else the operation. */
export function widestRoute(operation: Operation): Route {
  const [route = operation, ...others] = routesOf(operation);
  return others.length === 0 ? route : operation;
}

/** True if the envelope of the operation's answers has the country of the call. */
export function carriesCountry({ input, omitsCountry }: Operation): boolean {
  return Object.hasOwn(input.properties, "country") && !omitsCountry;
}

/** The description of the source of figures in an answer. */
export const SOURCE_DESCRIPTION =
  "Sources of the figures: sec, yahoo. sample means generated figures, not real ones.";

const UNDERSTOOD_DESCRIPTION =
  "How arguments were understood, if they were written otherwise: symbol=META (FB is META since 2022-06-09).";

const REASONS_LABEL_DESCRIPTION =
  "Only if figures are missing: why, by the reasons of other answers. not_meaningful: P/E.";

const DELISTED_DESCRIPTION =
  "Only if an instrument of the call is no longer listed: US:TWTR Twitter, Inc. was delisted on 2022-10-27.";

/** The arguments that name instruments. */
const NAMES_INSTRUMENTS = ["symbol", "symbols", "tickers", "holdings", "claims"];

/** Declares an operation. The types of its handler are derived from its schemas. */
export function defineOperation<
  Input extends TObject,
  Output extends TSchema,
  const Name extends string,
>(declared: Operation<Input, Output, Name>): Operation<Input, Output, Name> {
  const operation = declared.notRewound ? withKnownOnArgument(declared) : declared;
  const { input, output, sourceKey } = operation;
  if (sourceKey === null) return operation;
  const text = Type.String({ description: SOURCE_DESCRIPTION });
  const understood_as = Type.Optional(Type.String({ description: UNDERSTOOD_DESCRIPTION }));
  const isOfInstruments = NAMES_INSTRUMENTS.some((name) => Object.hasOwn(input.properties, name));
  const delisted = Type.Optional(Type.String({ description: DELISTED_DESCRIPTION }));
  const reasons = sourceKey
    ? { Reasons: Type.Optional(Type.String({ description: REASONS_LABEL_DESCRIPTION })) }
    : { reasons: Type.Optional(ReasonsOutput) };
  const told = { ...reasons, understood_as, ...(isOfInstruments && { delisted }) };
  // The labels of a panel are optional in its schema.
  const added = sourceKey
    ? { properties: { ...output["properties"], [sourceKey]: text, ...told } }
    : {
        properties: { ...output["properties"], source: Nullable(text), ...told },
        required: [...(output["required"] as string[]), "source"],
      };
  return { ...operation, output: { ...output, ...added } };
}

/** The operation with the argument `known_on` on all routes, and with the fields of an answer about a past day. */
function withKnownOnArgument<Input extends TObject, Output extends TSchema, Name extends string>(
  operation: Operation<Input, Output, Name>,
): Operation<Input, Output, Name> {
  const { input, output, routes, sourceKey } = operation;
  return {
    ...operation,
    input: withKnownOnInput(input),
    ...(routes && {
      routes: routes.map((route) => ({ ...route, input: withKnownOnInput(route.input) })),
    }),
    // The sources of other payloads are in their entries, which have no place for a text.
    ...(sourceKey !== null && {
      output: {
        ...output,
        properties: withKnownOnOutput(output["properties"] as Record<string, TSchema>),
      },
    }),
  };
}

/** The payload with the sources of its records: `sec, yahoo`; null if no record was found. */
export function withSource(
  { sourceKey }: Pick<Operation, "sourceKey">,
  data: unknown,
  source: string | null,
): unknown {
  if (sourceKey === null) return data;
  return sourceKey
    ? { ...(data as object), [sourceKey]: source ?? MISSING }
    : { ...(data as object), source };
}
