import type { Sentence } from "#console/app/words.ts";
/** A part that the program contains. */
export interface BundledPart {
  readonly name: string;
  readonly licence: "MIT" | "ISC" | "Apache-2.0" | "BlueOak-1.0.0";
  readonly copyright: string;
  /** What it does here. */
  readonly use: Sentence;
}

const part = (
  name: string,
  licence: BundledPart["licence"],
  copyright: string,
  use: Sentence,
): BundledPart => ({ name, licence, copyright, use });

/** Every part with a licence of its own, this console's first. */
export const BUNDLED_PARTS: readonly BundledPart[] = [
  part("preact", "MIT", "© 2015-present Jason Miller", "this console"),
  part("@preact/signals", "MIT", "© 2022-present Preact Team", "this console"),
  part("@preact/signals-core", "MIT", "© 2022-present Preact Team", "this console"),
  part("lightweight-charts", "Apache-2.0", "© 2025 TradingView, Inc.", "charts of prices"),
  part("fancy-canvas", "MIT", "© smakarov@tradingview.com", "charts of prices"),
  part("d3-hierarchy", "ISC", "© 2010-2026 Mike Bostock", "the map of the market"),
  part("elysia", "MIT", "© 2022 saltyAom", "the HTTP server"),
  part("@elysiajs/cors", "MIT", "© 2022 saltyAom", "the HTTP server"),
  part("@modelcontextprotocol/sdk", "MIT", "© 2024 Anthropic, PBC", "MCP"),
  part("@sinclair/typebox", "MIT", "© 2017-2026 Haydn Paterson", "schemas"),
  part("fastest-levenshtein", "MIT", "© 2020 Kasper Unn Weihe", "suggestions of names"),
  part("html-entities", "MIT", "© 2021 Dulin Marat", "text of sources"),
  part("hyparquet", "MIT", "© Hyperparam", "imports of Parquet"),
  part("hyparquet-writer", "MIT", "© Hyperparam", "exports as Parquet"),
  part("lru-cache", "BlueOak-1.0.0", "© Isaac Z. Schlueter and contributors", "caches"),
];
