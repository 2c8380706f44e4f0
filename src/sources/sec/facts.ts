import { type TSchema, Type } from "@sinclair/typebox";
import { Nullable } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import { isDate } from "#lib/date.ts";
import { SEC } from "./source.ts";

/** One figure of one filing, as companyfacts lists it. */
export interface Fact {
  /** First day; null for a balance. */
  readonly start: string | null;
  readonly end: string;
  readonly value: number;
  readonly filed: string;
  readonly form: string;
  /** Fiscal year and period that the filing, not the figure, is about. */
  readonly filingYear: number | null;
  readonly filingPeriod: string | null;
  readonly filing: string;
}

/** The figures of one tag by unit (`USD`, `shares`, `USD/shares`), in the order of the answer. */
export type TagFacts = ReadonlyMap<string, readonly Fact[]>;

/** The figures of one taxonomy by tag; tags are read on first use. */
export interface TaxonomyFacts {
  readonly name: string;
  /** True if only some tags of the company are known. */
  readonly isPartial?: true;
  find(tag: string): TagFacts;
}

const NO_FACTS: TagFacts = new Map();

const ByName = <T extends TSchema>(schema: T) => Type.Record(Type.String(), schema);
const readFacts = answerReader(SEC, Type.Object({ facts: ByName(ByName(Type.Unknown())) }));
const readTag = answerReader(SEC, Type.Object({ units: ByName(Type.Array(Type.Unknown())) }));
const readFact = answerReader(
  SEC,
  Type.Object({
    start: Type.Optional(Nullable(Type.String())),
    end: Type.String(),
    val: Type.Number(),
    filed: Type.String(),
    form: Type.String(),
    fy: Type.Optional(Type.Unknown()),
    fp: Type.Optional(Type.Unknown()),
    accn: Type.String(),
  }),
);

/** The taxonomies of a companyfacts answer. @throws SourceError if it has another form */
export function parseFacts(raw: unknown): TaxonomyFacts[] {
  return Object.entries(readFacts(raw).facts).map(([name, byTag]) => {
    const read = new Map<string, TagFacts>();
    return {
      name,
      find(tag) {
        if (!Object.hasOwn(byTag, tag)) return NO_FACTS;
        const known = read.get(tag) ?? parseTag(tag, byTag[tag]);
        read.set(tag, known);
        return known;
      },
    };
  });
}

function parseTag(tag: string, raw: unknown): TagFacts {
  return new Map(
    Object.entries(readTag(raw).units).map(([unit, facts]) => [
      unit,
      facts.map((fact) => parseFact(tag, fact)).filter((fact) => fact !== null),
    ]),
  );
}

/**
 * Proxy statements repeat net income beside the pay of officers, without a fiscal period and often in another unit (Dynex
 * Capital for 2025: 319,065 for 319,066,000).
 */
const PROXY_STATEMENT = /^(?:DEF|PRE|PX)/;

/** Null for impossible facts: a period that ends before it starts, or was reported before it ended; and of proxy statements. */
function parseFact(tag: string, raw: unknown): Fact | null {
  const { start = null, end, val, filed, form, fy, fp, accn } = readFact(raw);
  if (!isDate(end) || !isDate(filed) || (start !== null && !isDate(start)))
    throw SEC.error("invalid_answer", `a fact of ${tag} is not as documented`);
  if (filed < end || (start !== null && start > end) || PROXY_STATEMENT.test(form)) return null;
  return {
    start,
    end,
    value: val,
    filed,
    form,
    filingYear: typeof fy === "number" ? fy : null,
    filingPeriod: typeof fp === "string" ? fp : null,
    filing: accn,
  };
}
