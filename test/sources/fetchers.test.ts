import { FETCHERS } from "#sources/index.ts";
import { describeFetcher } from "../support/describe-fetcher.ts";

for (const fetcher of FETCHERS) describeFetcher(fetcher);
