import { join } from "node:path";

/** A package whose code is in the executable. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** Its SPDX identifier: `MIT`. */
  readonly licence: string;
  /** The text of its licence. */
  readonly text: string;
}

const LICENCE_FILES = new Bun.Glob("{LICEN[CS]E,licen[cs]e,Licen[cs]e,COPYING,NOTICE}*");

/** Bun itself is in every executable. Its package has no text of its licence. */
const BUN: Package = {
  name: "bun",
  version: Bun.version,
  licence: "MIT",
  text: `Bun is licensed under the MIT licence. It links JavaScriptCore and WebKit (LGPL-2.1) and other
libraries. https://bun.com/docs/project/license lists them and says how to link Bun against another
WebKit. The source of bourse is published, so its executable can be built again with that Bun.`,
};

/**
 * The packages of bundled modules, by name, and Bun.
 *
 * @param modules paths of the bundle, relative to `root`
 */
export async function listPackages(root: string, modules: readonly string[]): Promise<Package[]> {
  const folders = new Set(
    modules.flatMap((path) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  const packages = [...folders].map(async (folder): Promise<Package> => {
    const path = join(root, folder);
    const { name, version, license, author } = await Bun.file(join(path, "package.json")).json();
    if (typeof license !== "string") throw new Error(`${folder} does not name its licence.`);
    const files = [...LICENCE_FILES.scanSync(path)].toSorted();
    const texts = await Promise.all(files.map((file) => Bun.file(join(path, file)).text()));
    const holder = typeof author === "string" ? author : (author?.name ?? name);
    const text = texts.join("\n\n").trim() || `Copyright ${holder}. Licence: ${license}.`;
    return { name, version, licence: license, text };
  });
  const all = [...(await Promise.all(packages)), BUN];
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** All licences as one text. */
export function formatLicences(packages: readonly Package[]): string {
  return packages
    .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`)
    .join(`\n${"-".repeat(72)}\n\n`);
}

/** The packages as a CycloneDX document (SBOM). */
export function formatSbom(packages: readonly Package[], version: string, date: string | null) {
  const component = (name: string, number: string, licence: string, type: string) => ({
    type,
    "bom-ref": `pkg:npm/${name.replace("@", "%40")}@${number}`,
    name,
    version: number,
    purl: `pkg:npm/${name.replace("@", "%40")}@${number}`,
    licenses: [{ license: { id: licence } }],
  });
  const components = packages.map((one) =>
    component(one.name, one.version, one.licence, "library"),
  );
  const program = component("bourse", version, "MIT", "application");
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { ...(date && { timestamp: date }), component: program },
    components,
    dependencies: [{ ref: program["bom-ref"], dependsOn: components.map((one) => one["bom-ref"]) }],
  };
}
