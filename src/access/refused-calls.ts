import { type BourseError, isUnavailable } from "#domain/errors.ts";
import { DAY_MS, dateOf } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { AccessStore } from "#store/index.ts";
import {
  addRefusedCalls,
  listRefusalDays,
  listRefusedCalls,
  type RefusedCalls as StoredRefusals,
  removeOldRefusals,
} from "#store/refused-calls.ts";

export { REFUSAL_DAYS } from "#store/refused-calls.ts";

/** Rows that wait in memory. While the store cannot be written, further reasons are dropped. */
const MAX_PENDING = 1_000;
/** Rows in one transaction, which takes some 2 ms. */
const ROWS = 50;
const MINUTE_MS = 60_000;

/** A call that was refused. */
export interface RefusedCall extends Pick<StoredRefusals, "tokenId" | "via" | "operation"> {
  readonly error: BourseError;
}

/** The refused calls of a user's tokens on one UTC day. */
export interface RefusalDay {
  /** The UTC days that have some, newest first, at most 30. */
  readonly days: readonly { readonly date: string; readonly calls: number }[];
  /** The UTC day of `refusals`: the one that was asked for, else the newest with some, else today. */
  readonly date: string;
  /** Newest first, at most 1,000. */
  readonly refusals: readonly StoredRefusals[];
}

/** Keeps the refused calls of tokens with their reasons. They wait in memory until `store`, so no call waits for the store. */
export class RefusedCalls {
  readonly #access: AccessStore;
  readonly #clock: () => number;
  /** By minute, token and reason. */
  #pending = new Map<string, StoredRefusals>();
  #storing: Promise<void> = Promise.resolve();

  /** @param parts `clock` gives UTC milliseconds */
  constructor({ access, clock }: { readonly access: AccessStore; readonly clock: () => number }) {
    this.#access = access;
    this.#clock = clock;
  }

  /** Notes a refused call. Its texts are cut, and have no secrets. */
  note({ tokenId, via, operation, error }: RefusedCall): void {
    const { code, message, details } = error;
    this.#add({
      tokenId,
      at: this.#clock(),
      calls: 1,
      via,
      operation,
      code,
      param: cutReason(details.param ?? "", MAX_PARAM),
      message: cutReason(message, MAX_MESSAGE),
    });
  }

  #add(row: StoredRefusals): void {
    const { at, tokenId, via, operation, code, param, message } = row;
    const minute = Math.floor(at / MINUTE_MS);
    const key = [minute, tokenId, via, operation, code, param, message].join("\n");
    const known = this.#pending.get(key);
    if (!known && this.#pending.size >= MAX_PENDING) return;
    this.#pending.set(key, { ...row, calls: row.calls + (known?.calls ?? 0) });
  }

  /**
   * Stores what waits, in small transactions. After an error the calls wait for the next time.
   *
   * @throws Error of the store; none while the database of a cluster is away
   */
  store(): Promise<void> {
    const stored = this.#storing.then(() => this.#storeAll());
    this.#storing = stored.catch(() => {});
    return stored;
  }

  async #storeAll(): Promise<void> {
    const waiting = [...this.#pending.values()];
    this.#pending = new Map();
    for (let first = 0; first < waiting.length; first += ROWS) {
      if (first > 0) await nextTurn();
      const rows = waiting.slice(first, first + ROWS);
      try {
        await this.#access.transaction(() => addRefusedCalls(rows));
      } catch (error) {
        for (const row of waiting.slice(first)) this.#add(row);
        if (isUnavailable(error)) return;
        throw error;
      }
    }
  }

  /** Removes rows that are too old, in small steps, until `isStopped`. */
  async removeOld(isStopped: () => boolean): Promise<void> {
    while (!isStopped() && (await this.#access.run(removeOldRefusals(this.#clock(), ROWS))) > 0)
      await nextTurn();
  }

  /** The refused calls of a user's tokens on a UTC date, or on the newest day that has some if `date` is null. */
  async list(user: string, date: string | null): Promise<RefusalDay> {
    await this.store();
    const today = Math.floor(this.#clock() / DAY_MS);
    const counted = await this.#access.run(listRefusalDays(user, today));
    const newest = counted[0]?.day ?? today;
    const day = date === null ? newest : Date.parse(date) / DAY_MS;
    return {
      days: counted.map(({ day: one, calls }) => ({ date: dateOf(one * DAY_MS), calls })),
      date: dateOf(day * DAY_MS),
      refusals: await this.#access.run(listRefusedCalls(user, day)),
    };
  }
}

const MAX_PARAM = 40;
const MAX_MESSAGE = 240;
/** A longer message is cut first, so that a refused call costs little. */
const MAX_READ = 1_000;
/** Quoted text of a client is cut to this length. */
const MAX_QUOTED = 40;

/** Tokens of bourse, addresses of any scheme, of mail and of credentials, and `key=value` of names that keys have. */
const SECRETS =
  /\bbourse_\w+|\b[a-z][a-z\d+.-]*:\/\/[^\s"]+|\bwww\.[^\s"]+|[^\s"@]+@[^\s"@]+|\bBearer\s+[^\s"]+|\b(?:\w*key|\w*token|link|secret|pass\w*|sig\w*)=[^\s"&]+/gi;
/** A long word that may be a key. */
const LONG_WORD = /[\w%-]{16,}/g;
/** A part of a name of ours: get_stock_overview, revenue_growth_5y, MCP-Protocol-Version. */
const NAME_PART = /^(?:[A-Z]?[a-z]{1,19}|[A-Z]{1,19}|\d{1,4}|[a-z\d]{1,3})$/;
/** These words differ from call to call. */
const WAIT = /[:.]?\s*\bretry after \d+ s\b/i;

const isName = (word: string) => word.split(/[_-]/).every((part) => NAME_PART.test(part));

/** A text for the log: without tokens, links, keys and the wait of a refusal, with short quotations, cut to `most` characters. */
function cutReason(text: string, most: number): string {
  const clean = text
    .slice(0, MAX_READ)
    .replace(SECRETS, "…")
    .replace(LONG_WORD, (word) => (isName(word) ? word : "…"))
    .replace(/"([^"]*)"/g, (whole, quoted: string) =>
      quoted.length > MAX_QUOTED ? `"${quoted.slice(0, MAX_QUOTED)}…"` : whole,
    )
    .replace(/\p{Cc}+/gu, " ")
    .replace(WAIT, "");
  return clean.length > most ? `${clean.slice(0, most - 1).toWellFormed()}…` : clean;
}
