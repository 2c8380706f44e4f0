import { createMemo } from "#lib/memo.ts";

/** The encodings that we offer, the preferred one first. */
const OFFERED = ["zstd", "gzip", "identity"] as const;

/** How a body is encoded. */
export type Encoding = (typeof OFFERED)[number];

/** Shorter bodies are not compressed. */
const MIN_CHARACTERS = 1024;

const accepted = createMemo<Encoding>(200);

/** The encoding of a body with that text: by `Accept-Encoding`, `identity` for a short text. */
export function encodingFor(request: Request, text: string): Encoding {
  if (text.length < MIN_CHARACTERS) return "identity";
  const header = request.headers.get("accept-encoding");
  if (header === null) return "identity";
  return accepted.get(header, () => negotiate(header));
}

/** The accepted encoding with the highest quality; 0 refuses one. */
function negotiate(header: string): Encoding {
  const qualities = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)));
  }
  // Many clients and proxies that send `*` cannot read zstd, so only gzip may follow from it.
  const star = qualities.get("*");
  if (star !== undefined && !qualities.has("gzip")) qualities.set("gzip", star);
  const qualityOf = (name: string) => qualities.get(name) ?? 0;
  const wanted = OFFERED.filter((name) => qualityOf(name) > 0);
  return wanted.sort((a, b) => qualityOf(b) - qualityOf(a))[0] ?? "identity";
}

/** A text as bytes in that encoding. */
export function compress(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  if (encoding === "zstd") return new Uint8Array(Bun.zstdCompressSync(bytes));
  return encoding === "gzip" ? Bun.gzipSync(bytes) : bytes;
}
