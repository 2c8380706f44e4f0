import { Type, type TSchema } from "@sinclair/typebox";
import { Nullable, type Static } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import { VIETCAP } from "./source.ts";

/** The start of every address of the service. */
export const VIETCAP_SERVICE = "https://iq.vietcap.com.vn/api/iq-insight-service";

/**
 * Creates the reader of an answer's `data` from the envelope that all answers have.
 *
 * The reader throws `SourceError`: `invalid_answer` for another form and for a failure with
 * status 200, `nothing` if there is no data.
 */
export function dataReader<T extends TSchema>(data: T): (answer: unknown) => Static<T> {
  const read = answerReader(
    VIETCAP,
    Type.Object({ successful: Type.Optional(Type.Boolean()), data: Nullable(data) }),
  );
  return (answer) => {
    // The data of a failure may have any form.
    if (
      typeof answer === "object" &&
      answer !== null &&
      Reflect.get(answer, "successful") === false
    )
      throw VIETCAP.error("invalid_answer", "the answer reports a failure");
    const envelope: { data: Static<T> | null } = read(answer);
    if (envelope.data === null) throw VIETCAP.error("nothing", "it has no data for the request");
    return envelope.data;
  };
}
