import type { BriefMark, BriefMarks, SeenMarket } from "#domain/brief.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import { listBriefMarks, putBriefMark } from "#store/brief-marks.ts";
import type { AccessStore } from "#store/index.ts";

/** The marks of the briefs of one token. */
export class TokenBriefMarks implements BriefMarks {
  readonly #access: AccessStore;
  readonly #tokenId: number;

  constructor(access: AccessStore, tokenId: number) {
    this.#access = access;
    this.#tokenId = tokenId;
  }

  list(scope: string): Awaitable<readonly BriefMark[]> {
    return whenKnown(this.#access.run(listBriefMarks(this.#tokenId, scope)), (rows) =>
      rows.map(({ at, json }) => ({ at, seen: JSON.parse(json) as SeenMarket })),
    );
  }

  put(scope: string, { at, seen }: BriefMark): Awaitable<void> {
    const json = JSON.stringify(seen);
    return this.#access.transaction(() => putBriefMark(this.#tokenId, scope, { at, json }));
  }
}
