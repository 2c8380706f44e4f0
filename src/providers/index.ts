import type { Provider } from "./fetcher.ts";
import { createSampleFetchers, SAMPLE } from "./sample/provider.ts";

/** Every provider, in order of preference. */
export const PROVIDERS: readonly Provider[] = [
  { source: SAMPLE, createFetchers: createSampleFetchers },
];
