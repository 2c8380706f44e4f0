import { Type, type TSchema } from "@sinclair/typebox";
import { Nullable, type Static } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import { type Source, SourceError } from "#sources/source.ts";

/** The company database behind the pages of Vietcap, a Vietnamese broker. */
export const VIETCAP: Source = {
  name: "vietcap",
  title: "Vietcap IQ",
  official: false,
  terms: "An unofficial, undocumented service of a broker: personal use, replaceable.",
  fills: "Viet Nam's listed companies, their sectors, statements, share counts and profiles.",
  requestsPerSecond: 0.5,
  concurrency: 1,
  timeoutMs: 30_000,
  maxBytes: 24_000_000,
  userAgent: "browser",
  headers: {
    Accept: "application/json",
    Origin: "https://trading.vietcap.com.vn",
    Referer: "https://trading.vietcap.com.vn/",
  },
};

/** Where the addresses of its service begin. */
export const VIETCAP_SERVICE = "https://iq.vietcap.com.vn/api/iq-insight-service";

/** What it knows nothing of. */
export function nothing(): SourceError {
  return new SourceError(VIETCAP.name, "nothing", "it knows nothing of what was asked");
}

/**
 * Makes the reader of an answer's `data` out of the envelope that all answers come in.
 *
 * The reader throws `SourceError`: `invalid_answer` for another form and for a failure that is told
 * inside of a 200, `nothing` where there is no data.
 */
export function dataReader<T extends TSchema>(data: T): (answer: unknown) => Static<T> {
  const read = answerReader(
    VIETCAP,
    Type.Object({ successful: Type.Optional(Type.Boolean()), data: Nullable(data) }),
  );
  return (answer) => {
    // What it gives with a failure may have any form.
    if (
      typeof answer === "object" &&
      answer !== null &&
      Reflect.get(answer, "successful") === false
    )
      throw new SourceError(VIETCAP.name, "invalid_answer", "the answer tells of a failure");
    const envelope: { data: Static<T> | null } = read(answer);
    if (envelope.data === null) throw nothing();
    return envelope.data;
  };
}
