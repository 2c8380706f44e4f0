import { addBaseToCode, addBaseToHtml } from "./service-address.ts";

/** A file of the console. */
export interface Asset {
  /** `/console.html`, `/chunk-1a2b3c4d.js`. */
  readonly path: string;
  /** The media type. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** True if a change of the content changes the path. */
  readonly hashed: boolean;
}

/** The path of the page itself. */
export const PAGE = "/console.html";

/** The path of the licences of all parts, as a text. */
const LICENCES = "/console/licences.txt";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/**
 * Every file of the console: the page itself as `/console.html`, its scripts and styles, and the licences. They name
 * each other below the base path.
 *
 * The executable contains the bundled files. From source they are bundled now, in memory.
 */
export async function loadAssets(base = ""): Promise<Asset[]> {
  const { default: page, licences } = await import("./page.ts");
  const files = page.files
    ? page.files.map(({ path }) => ({ path, blob: Bun.file(path) }))
    : (await bundle(page.index)).map((blob) => ({ path: blob.path, blob }));
  const assets = await Promise.all(
    files.map(async ({ path, blob }) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const extension = name.slice(name.lastIndexOf(".") + 1);
      const bytes = await readAsset(blob, extension, base);
      const type = TYPES[extension] ?? "application/octet-stream";
      return extension === "html"
        ? { path: PAGE, type, bytes, hashed: false }
        : { path: `/${name}`, type, bytes, hashed: true };
    }),
  );
  const bytes = new TextEncoder().encode(licences);
  return [...assets, { path: LICENCES, type: "text/plain; charset=utf-8", bytes, hashed: false }];
}

async function readAsset(blob: Blob, extension: string, base: string): Promise<Asset["bytes"]> {
  const encode = (text: string) => new TextEncoder().encode(text);
  if (extension === "css") return encode(withoutOldRules(await blob.text()));
  if (base === "") return new Uint8Array(await blob.arrayBuffer());
  const text = await blob.text();
  if (extension !== "html") return encode(addBaseToCode(text, base));
  return encode(addBaseToHtml(text, base).replace("<html", `<html data-base="${base}"`));
}

/** Styles without the copies that Bun writes of each rule with `:is()`, for browsers that cannot run the scripts. */
const withoutOldRules = (css: string): string =>
  css.replaceAll(/[^{}]{0,2000}:-(?:webkit|moz)-any\([^{}]{0,2000}\{[^{}]{0,2000}\}/g, "");

async function bundle(entrypoint: string) {
  const { outputs } = await Bun.build({
    entrypoints: [entrypoint],
    target: "browser",
    minify: true,
    splitting: true,
    // The page is at several paths, so it needs absolute addresses, which the executable has anyway.
    publicPath: "/",
    // Otherwise packages give their larger development files.
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputs;
}
