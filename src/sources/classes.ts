import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";

/** Slugs of the taxonomy; null if the source's class does not determine them. */
export interface Classes {
  readonly sector: string | null;
  readonly industry: string | null;
}

/** The classes of a slug of a sector or an industry; without a slug, none. @throws Error if it is neither */
export function classesOf(slug: string | null | undefined): Classes {
  if (slug === null || slug === undefined) return { sector: null, industry: null };
  if (SECTORS.has(slug)) return { sector: slug, industry: null };
  const industry = INDUSTRIES.get(slug);
  if (!industry) throw new Error(`${slug} is not a class of the taxonomy`);
  return { sector: industry.sector, industry: slug };
}
