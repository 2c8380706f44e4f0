import type { Session } from "#access/sessions.ts";
import { type CachedAnswer, decodeRequest, readPayload } from "#operations/execute.ts";
import { getMacroHistory } from "#operations/get-macro-history.ts";
import { getMacroIndicators } from "#operations/get-macro-indicators.ts";
import type { PayloadOf } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { type ConsoleCall, endpoint } from "./console-endpoint.ts";

/** The newest figures of each series. */
const TREND = 40;

/**
 * `GET data/trends/US`: the newest figures of every series of a country, oldest first, by name. They are those of
 * `get_macro_history`, which has one series in each call.
 */
export const TREND_ENDPOINTS = [
  endpoint({
    method: "GET",
    path: "data/trends/:country",
    role: "user",
    async handle(call): Promise<Readonly<Record<string, readonly number[]>>> {
      const country = call.param("country");
      const execute = (operation: Operation, args: object) => answer(call, operation, args);
      const indicators = await readPayload<PayloadOf<"get_macro_indicators">>(
        await execute(getMacroIndicators, { country }),
      );
      const trends: Record<string, number[]> = {};
      for (const { name: series } of Object.values(indicators).flat()) {
        const { rows } = await readPayload<PayloadOf<"get_macro_history">>(
          await execute(getMacroHistory, { country, series, limit: String(TREND) }),
        );
        trends[series] = rows.map(([, value]) => Number(value));
      }
      return trends;
    },
  }),
] as const;

async function answer(
  { parts, session }: Pick<ConsoleCall<unknown, Session>, "parts" | "session">,
  operation: Operation,
  args: object,
): Promise<CachedAnswer> {
  const request = decodeRequest(operation, { ...args });
  return parts.executor.execute(request, { user: session.user, rights: [] });
}
