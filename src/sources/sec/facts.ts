import { isDate } from "#lib/date.ts";
import { asObject, invalid } from "./registrants.ts";

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

/** The figures of one tag by unit (`USD`, `shares`, `USD/shares`), in the order in which they came. */
export type TagFacts = ReadonlyMap<string, readonly Fact[]>;

/** The figures of one taxonomy by tag; tags are read when they are asked for. */
export interface TaxonomyFacts {
  readonly name: string;
  find(tag: string): TagFacts;
}

const NO_FACTS: TagFacts = new Map();

/** The taxonomies of a companyfacts answer. @throws SourceError where it has another form */
export function parseFacts(raw: unknown): TaxonomyFacts[] {
  const { facts } = asObject(raw);
  return Object.entries(asObject(facts)).map(([name, tags]) => {
    const byTag = asObject(tags);
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
  const { units } = asObject(raw);
  return new Map(
    Object.entries(asObject(units)).map(([unit, facts]) => {
      if (!Array.isArray(facts)) throw invalid(`${tag} has no list of facts`);
      return [unit, facts.map((fact) => parseFact(tag, fact)).filter((fact) => fact !== null)];
    }),
  );
}

/** Null for what cannot be: a period that ends before it starts, or was reported before it ended. */
function parseFact(tag: string, raw: unknown): Fact | null {
  const { start, end, val, filed, form, fy, fp, accn } = asObject(raw);
  if (
    !isDateText(end) ||
    !isDateText(filed) ||
    (start !== undefined && start !== null && !isDateText(start)) ||
    typeof val !== "number" ||
    !Number.isFinite(val) ||
    typeof form !== "string" ||
    typeof accn !== "string"
  )
    throw invalid(`a fact of ${tag} is not as documented`);
  if (filed < end || (isDateText(start) && start > end)) return null;
  return {
    start: isDateText(start) ? start : null,
    end,
    value: val,
    filed,
    form,
    filingYear: typeof fy === "number" ? fy : null,
    filingPeriod: typeof fp === "string" ? fp : null,
    filing: accn,
  };
}

function isDateText(value: unknown): value is string {
  return typeof value === "string" && isDate(value);
}
