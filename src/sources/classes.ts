import { type ClassSlug, INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";

/** Slugs of the taxonomy; null if the source's class does not determine them. */
export interface Classes {
  readonly sector: string | null;
  readonly industry: string | null;
}

/** The classes of a slug of a sector or an industry; without a slug, none. */
export function classesOf(slug: ClassSlug | null | undefined): Classes {
  if (slug === null || slug === undefined) return { sector: null, industry: null };
  if (SECTORS.has(slug)) return { sector: slug, industry: null };
  return { sector: INDUSTRIES.get(slug)?.sector ?? null, industry: slug };
}
