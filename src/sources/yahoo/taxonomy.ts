import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";

/**
 * Names and keys by their letters alone: Yahoo has written one industry as `Oil & Gas E&P`,
 * `oil-gas-e&p` and `oil-gas-e-p`, and hyphens as dashes.
 */
const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, "");

const byLetters = (classes: ReadonlyMap<string, { slug: string; name: string }>) =>
  new Map([...classes.values()].map(({ slug, name }) => [lettersOf(name), slug]));

const sectorSlugs = byLetters(SECTORS);
const industrySlugs = byLetters(INDUSTRIES);

/** The slug of a sector by Yahoo's name or key; null if there is no such sector. */
export function sectorSlug(name: string | null | undefined): string | null {
  return sectorSlugs.get(lettersOf(name ?? "")) ?? null;
}

/** The slug of an industry by Yahoo's name or key; null if there is no such industry. */
export function industrySlug(name: string | null | undefined): string | null {
  return industrySlugs.get(lettersOf(name ?? "")) ?? null;
}
