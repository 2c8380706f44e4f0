import { afterAll } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Country } from "#domain/country.ts";
import { type MarketStore, openMarket } from "#store/index.ts";
import { openFolder } from "./access.ts";
import { runOn } from "./cli.ts";
import { copySampleMarket } from "./service.ts";

/** A data folder with the sample market, for the imports of a file of tests. */
export function openImports() {
  const folder = openFolder();
  copySampleMarket(folder.path);
  afterAll(() => folder[Symbol.dispose]());
  const run = (...argv: string[]) => runOn(folder.path, "import", ...argv);

  /** The result of a function on the market. */
  function inMarket<T>(read: (market: MarketStore) => T): T {
    const market = openMarket(folder.path);
    try {
      return read(market);
    } finally {
      market.close();
    }
  }

  return {
    folder,
    run,
    inMarket,
    importBars: (country: string, symbol: string, ...rest: string[]) =>
      run("bars", "--country", country, "--symbol", symbol, ...rest),
    /** The path of a file with this content. */
    fileOf: (name: string, content: string | Uint8Array): string => {
      const path = join(folder.path, name);
      writeFileSync(path, content);
      return path;
    },
    stored: (country: Country, symbol: string) =>
      inMarket((market) => storedBars(market, country, symbol)),
  };
}

/** An instrument with its bars, oldest first, their source, and each date with its close. */
export function storedBars(market: MarketStore, country: Country, symbol: string) {
  const instrument = market.instruments.find({ country, symbol });
  const id = instrument?.id ?? 0;
  const bars = market.bars.listNewest(id, 100_000).reverse();
  return {
    instrument,
    bars,
    source: market.bars.findProvenance(id)?.source,
    closes: bars.map(({ date, close }) => `${date} ${close}`),
  };
}
