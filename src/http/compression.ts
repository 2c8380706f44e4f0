import { createMemo } from "#lib/memo.ts";

/** The compressions that we offer, the better first. */
const OFFERED = ["zstd", "gzip"] as const;

/** How a body is encoded. */
export type Encoding = (typeof OFFERED)[number] | "identity";

/** Below it, compression saves nothing that anybody would notice. */
const MIN_CHARACTERS = 1024;

const accepted = createMemo<Encoding>(200);

/** How the client wants a body of that text: as `Accept-Encoding` says, plain where it is short. */
export function encodingFor(request: Request, text: string): Encoding {
  if (text.length < MIN_CHARACTERS) return "identity";
  const header = request.headers.get("accept-encoding");
  if (header === null) return "identity";
  return accepted.get(header, () => negotiate(header));
}

/** The best of what is offered and accepted; a quality of 0 is a refusal. */
function negotiate(header: string): Encoding {
  const qualities = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)));
  }
  const qualityOf = (name: string) => qualities.get(name) ?? qualities.get("*") ?? 0;
  const wanted = OFFERED.filter((name) => qualityOf(name) > 0);
  return wanted.sort((a, b) => qualityOf(b) - qualityOf(a))[0] ?? "identity";
}

/** A text as bytes in that encoding. */
export function compress(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  if (encoding === "zstd") return new Uint8Array(Bun.zstdCompressSync(bytes));
  return encoding === "gzip" ? Bun.gzipSync(bytes) : bytes;
}
