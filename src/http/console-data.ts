import { BourseError } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";
import { decodeRequest, readPayload } from "#operations/execute.ts";
import { getMacroHistory } from "#operations/get-macro-history.ts";
import { getMacroIndicators } from "#operations/get-macro-indicators.ts";
import { OPERATIONS, type PayloadOf } from "#operations/index.ts";
import { routesOf } from "#operations/operation.ts";
import { PRIVATE_ANSWER } from "./console-answers.ts";
import { endpoint } from "./console-endpoint.ts";
import { readRestCall, requestOf, RestAnswers } from "./rest-endpoint.ts";

/** `GET data/get_stock_overview?country=US&symbol=AAPL`: the answer of the REST route of that name, not counted against a token. */
export const DATA_ENDPOINTS = [
  endpoint({
    method: "GET",
    path: "data/:operation",
    role: "user",
    async handle({ parts, visit, param, session }) {
      const { operation, route } = findRoute(param("operation"));
      const call = readRestCall(operation, route, visit.request, {});
      if (call.linked) throw needsToken();
      const cached = await parts.executor.execute(requestOf(call, visit.request), {
        user: session.user,
        rights: [],
      });
      return answersOf(parts.clock).write(visit.request, call, cached, null);
    },
  }),
  endpoint({
    method: "GET",
    path: "macro-lines",
    role: "user",
    /** The newest figures of each macro series of a country, oldest first, as `get_macro_history` has them. */
    async handle({ parts: { executor }, visit }): Promise<Record<string, number[]>> {
      const country = visit.query.get("country");
      const indicators = await readPayload<PayloadOf<"get_macro_indicators">>(
        await executor.execute(decodeRequest(getMacroIndicators, { country })),
      );
      const lines: Record<string, number[]> = {};
      for (const { name } of Object.values(indicators).flat()) {
        const args = { country, series: name, limit: LINE_POINTS };
        const { rows } = await readPayload<PayloadOf<"get_macro_history">>(
          await executor.execute(decodeRequest(getMacroHistory, args)),
        );
        lines[name] = rows.map((row) => Number(row.at(-1)));
      }
      return lines;
    },
  }),
] as const;

/** The observations of a small line. */
const LINE_POINTS = 40;

const needsToken = () =>
  new BourseError("invalid_argument", "as=csv_link needs a token. Here, use format=csv.", {
    param: "as",
  });

const answers = new WeakMap<() => number, RestAnswers>();

/** The answers on that clock, which share their compressed bodies. */
function answersOf(clock: () => number): RestAnswers {
  let made = answers.get(clock);
  if (!made) answers.set(clock, (made = new RestAnswers(PRIVATE_ANSWER, clock)));
  return made;
}

/** Every REST route that reads, with its operation. The console changes lists by endpoints of its own. */
const ROUTES = OPERATIONS.filter(({ right }) => !right).flatMap((operation) =>
  routesOf(operation).map((route) => ({ operation, route })),
);

function findRoute(name: string) {
  const found = ROUTES.find(({ route }) => route.name === name);
  if (found) return found;
  const near = closest(
    name,
    ROUTES.map(({ route }) => route.name),
  );
  throw new BourseError(
    "not_found",
    `There is no operation of this name${near ? `; did you mean ${near}?` : "."}`,
  );
}
