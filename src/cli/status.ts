import { findOrigin } from "#ingest/ingest.ts";
import { formatTable } from "#lib/table.ts";
import { type Command, JSON_FLAG } from "./command.ts";
import { withAccess, withMarket } from "./stores.ts";

export const status: Command = {
  name: "status",
  summary: "Show the data folder: schema, data by kind and age, users, tokens",
  flags: { json: JSON_FLAG },
  settings: ["data"],
  async run({ io, config, flags }) {
    const now = io.clock();
    const report = {
      dataFolder: config.dataFolder,
      ...(await withAccess(config.dataFolder, (access) => {
        const users = access.users.list(now);
        return {
          accessSchema: access.schemaVersion(),
          users: users.length,
          liveTokens: users.reduce((sum, user) => sum + user.liveTokens, 0),
          tokens: access.tokens.list(null).length,
        };
      })),
      ...(await withMarket(config.dataFolder, (market) => ({
        marketSchema: market.schemaVersion(),
        market: findOrigin(market),
        data: market.listCounts().map(({ kind, source, count, storedAt }) => ({
          kind,
          source,
          count,
          ageSeconds: Math.max(0, Math.floor((now - storedAt) / 1000)),
        })),
      }))),
    };
    if (flags["json"]) {
      io.stdout(`${JSON.stringify(report)}\n`);
      return;
    }
    io.stdout(
      [
        `Data folder  ${report.dataFolder}`,
        `Schema       access ${report.accessSchema}, market ${report.marketSchema}`,
        `Market       ${report.market ?? "empty"}${report.market === "sample" ? " (generated figures, none is real)" : ""}`,
        `Users        ${report.users}`,
        `Tokens       ${report.liveTokens} live of ${report.tokens}`,
        "",
        "",
      ].join("\n"),
    );
    io.stdout(
      formatTable(
        ["KIND", "SOURCE", "COUNT", "AGE"],
        report.data.map(({ kind, source, count, ageSeconds }) => [
          kind,
          source,
          count,
          age(ageSeconds),
        ]),
      ),
    );
  },
};

/** The largest whole unit: `3 d`. */
function age(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
