import type { Provider } from "./fetcher.ts";
import { sampleProvider } from "./sample/provider.ts";

/** Every provider, in order of preference. */
export const PROVIDERS: readonly Provider[] = [sampleProvider];
