import { afterAll, beforeAll, expect, test } from "bun:test";
import { FETCHERS } from "#sources/index.ts";
import { SourceError } from "#sources/source.ts";
import { clientOf, fetchPlayed, queryOf } from "../support/describe-fetcher.ts";
import { transformed } from "../support/fetcher.ts";
import type { PlayedBody } from "../support/played-answer.ts";
import {
  type PlayedSources,
  playSources,
  SOURCES_WITHOUT_REQUESTS,
} from "../support/played-sources.ts";
import { TESTS_ALL } from "../support/test-all.ts";

// Each source, with another answer than the right one at the first, the second and the last address.

const bytesOf = ({ body }: PlayedBody) =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;

/** What networks and hosts send in place of an answer. */
const DAMAGES: Readonly<Record<string, (played: PlayedBody) => PlayedBody>> = {
  "the page of a network that wants a sign-in": () => ({
    body: '<html><head><meta http-equiv="refresh" content="0; url=http://10.0.0.1/login"></head></html>',
  }),
  "a page of consent": () => ({
    body: '\uFEFF<?xml version="1.0"?>\n<!-- consent -->\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0"><html><body>Cookies?</body></html>\n',
    headers: { "content-type": "text/html" },
  }),
  "a page of maintenance": () => ({ body: "<center><h1>Back soon</h1></center>\n" }),
  "no content": () => ({ body: "" }),
  "half of its answer": (played) => {
    const bytes = bytesOf(played);
    let end = Math.ceil(bytes.length / 2);
    while (bytes[end - 1] === 10 || bytes[end - 1] === 13) end--;
    return { ...played, body: bytes.slice(0, end) };
  },
  "all but the end of its answer": (played) => {
    // A table may end without the break of its last line.
    const bytes = bytesOf(played);
    return { ...played, body: bytes.slice(0, -Math.min(10, Math.ceil(bytes.length / 2))) };
  },
  ...Object.fromEntries(
    [203, 204, 205, 206, 300, 303, 304, 307].map((status) => [
      `status ${status}`,
      (played: PlayedBody): PlayedBody => ({
        status,
        body: [204, 205, 304].includes(status) ? "" : played.body,
      }),
    ]),
  ),
};

let played: PlayedSources;
/** The number of the request that is damaged, and how. */
let damage: { at: number; how: (played: PlayedBody) => PlayedBody } | null = null;
let requests = 0;
beforeAll(async () => {
  played = await playSources({}, (answer) =>
    requests++ === damage?.at ? damage.how(answer) : answer,
  );
});
afterAll(() => played.stop());

const CASES = FETCHERS.filter(({ source }) => !SOURCES_WITHOUT_REQUESTS.has(source.name)).flatMap(
  (fetcher) => fetcher.countries.map((country) => ({ fetcher, country })),
);

/** The damages of a case: a sixth of them, but with BOURSE_TEST_ALL=1 all. Neighbours have others. */
function damagesOf(one: (typeof CASES)[number]) {
  const index = CASES.indexOf(one);
  return Object.entries(DAMAGES).filter((_, i) => TESTS_ALL || (i + index) % 6 === 0);
}

/** The host, what happened, the reason and the remedy, as `describeRefusal` writes them. */
const TOLD = /^(?:it is not called [^:]+: )?[\w-]+(?:\.[\w-]+)+[ :].+; .+$/;

/** What became of the records: the same ones by a second door or name, or the words of what is missing. */
async function outcomeOf(
  { fetcher, country }: (typeof CASES)[number],
  right: string,
): Promise<string[]> {
  const query = queryOf(fetcher, country);
  try {
    const raw = await fetcher.fetch(query, clientOf(fetcher, played.url));
    const records = transformed(fetcher.kind, fetcher, raw, query);
    const lacks = fetcher.lacks?.(raw, query) ?? [];
    if (lacks.length === 0 && JSON.stringify(records) !== right) return ["other records"];
    return lacks.map(({ why }) => why);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return [error.fault === "nothing" ? `nothing: ${error.words}` : error.words];
  }
}

test.each(
  CASES.map(
    (one) => [`${one.fetcher.source.name} ${one.fetcher.kind} ${one.country}`, one] as const,
  ),
)(
  "%s: a wrong answer is named with host, reason and remedy, or another door has the records",
  async (_, one) => {
    const { fetcher, country } = one;
    const query = queryOf(fetcher, country);
    damage = null;
    requests = 0;
    const raw = await fetchPlayed(fetcher, query, played);
    const count = requests;
    const right = JSON.stringify(transformed(fetcher.kind, fetcher, raw, query));
    expect(fetcher.lacks?.(raw, query) ?? []).toEqual([]);
    const untold: string[] = [];
    for (const [name, how] of damagesOf(one))
      for (const at of new Set([0, 1, count - 1].filter((i) => i < count))) {
        damage = { at, how };
        requests = 0;
        const words = await outcomeOf(one, right);
        const bad = words.filter((said) => !TOLD.test(said));
        if (bad.length > 0)
          untold.push(`${name}, request ${at + 1} of ${count}: ${bad.join(" | ")}`);
      }
    expect(untold).toEqual([]);
  },
);
