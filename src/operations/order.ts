import { invalidArgument } from "#domain/errors.ts";
import type { RawArguments } from "./reading/decode.ts";
import type { Operation } from "./operation.ts";

/** Arguments of other services that say in which order rows are. No operation declares them. */
export const ORDER_NAMES: ReadonlySet<string> = new Set([
  "order",
  "sort_order",
  "sort_direction",
  "direction",
]);

/** The order of the rows of operations that have a fixed one. */
const FIXED: Readonly<Record<string, { order: "asc" | "desc"; rows: string }>> = {
  get_stock_price_history: { order: "asc", rows: "oldest first; limit takes the newest" },
  get_macro_history: { order: "asc", rows: "oldest first; limit takes the newest" },
  get_valuation_history: { order: "asc", rows: "oldest first" },
  get_macro_calendar: { order: "asc", rows: "soonest first" },
  get_earnings_calendar: { order: "asc", rows: "earliest first" },
  get_stock_statements: { order: "desc", rows: "newest first" },
};

/** The order of a sort that is left out. */
const DEFAULT_SORT: Readonly<Record<string, string>> = { screen_stocks: "-market_cap" };

/**
 * The arguments with an order (`asc`, `desc`) as the sign of their sort: `sort=pe` with `order=desc` is `sort=-pe`. The
 * fixed order of a series may be named.
 *
 * @param understood collects the sort
 * @throws BourseError `invalid_argument` for an order that the rows cannot have
 */
export function withOrder(
  operation: Operation,
  raw: RawArguments,
  understood: Record<string, string>,
): RawArguments {
  const [name, value] =
    Object.entries(raw).find(([one, given]) => ORDER_NAMES.has(one) && (given ?? null) !== null) ??
    [];
  if (name === undefined || Object.hasOwn(operation.input.properties, name)) return raw;
  const order = readOrder(name, value);
  const refuse = (message: string) =>
    invalidArgument(message, { param: name, allowed: ["asc", "desc"] });
  const fixed = FIXED[operation.name];
  if (fixed?.order === order) return raw;
  if (fixed) {
    throw refuse(
      `${operation.name} answers ${fixed.rows}; it has no other order. Leave ${name} out, and read the rows from the other end.`,
    );
  }
  if (!Object.hasOwn(operation.input.properties, "sort")) {
    throw refuse(
      `${operation.name} has no ${name}: its rows are in the order of what was asked. Leave it out. To rank companies call screen_stocks with sort.`,
    );
  }
  const { sort = DEFAULT_SORT[operation.name] } = raw;
  const [, sign = "", metric = ""] =
    typeof sort === "string" ? (/^\s*(-|both:)?\s*([a-z]\w*)\s*$/i.exec(sort) ?? []) : [];
  const isDescending = order === "desc";
  if (raw["sort"] !== undefined && metric !== "" && sign === "") {
    return understand({ ...raw, sort: isDescending ? `-${metric}` : metric }, understood);
  }
  if (sign === "-" && isDescending) return raw;
  throw refuse(
    `The order is part of sort: ${metric === "" ? "" : `sort=${metric} begins with the lowest, sort=-${metric} with the highest. `}Leave ${name} out.`,
  );
}

function understand(args: RawArguments, understood: Record<string, string>): RawArguments {
  understood["sort"] = String(args["sort"]);
  return args;
}

/** @throws BourseError for another value */
function readOrder(name: string, value: unknown): "asc" | "desc" {
  const text = String(value).trim().toLowerCase();
  if (/^(asc|ascending|1|昇順|tăng dần)$/.test(text)) return "asc";
  if (/^(desc|descending|-1|降順|giảm dần)$/.test(text)) return "desc";
  throw invalidArgument(`${name} must be asc or desc, and is best left out.`, {
    param: name,
    allowed: ["asc", "desc"],
  });
}
