import { parseAnswer } from "./check-answer.ts";
import { type Source, type SourceAnswer, SourceError, type SourceRequest } from "./source.ts";

/** Closes the connection of an answer that is not read; it may have failed already. */
export function abandon({ body }: Response): void {
  void body?.cancel().catch(() => {});
}

/** The whole body, inflated. @throws SourceError if it is larger than the source's limit */
export async function readCapped(source: Source, response: Response): Promise<Uint8Array> {
  const invalid = (reason: string) => new SourceError(source.name, "invalid_answer", reason);
  const tooLarge = () => invalid(`the answer is larger than ${source.maxBytes} bytes`);
  if (Number(response.headers.get("content-length")) > source.maxBytes) {
    abandon(response);
    throw tooLarge();
  }
  // HTTP names encodings in any letter case; x-gzip is an old name of gzip.
  const encoding = (response.headers.get("content-encoding") ?? "").trim().toLowerCase();
  const isGzip = encoding === "gzip" || encoding === "x-gzip";
  if (!isGzip && encoding !== "" && encoding !== "identity") {
    abandon(response);
    throw invalid("the answer is compressed in another way than requested");
  }
  const body = isGzip ? response.body?.pipeThrough(new DecompressionStream("gzip")) : response.body;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > source.maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** How a page begins, after a declaration and comments. */
const PAGE =
  /^(?:\s|<\?xml[^>]*>|<!--(?:(?!-->)[^])*-->)*<(?:!doctype html|(?:html|head|body|meta|title|script|style|link|center|frameset|div|h1|p)\b)/i;
/** The start of an answer by which its form is known, and its end by which it is whole. */
const START_BYTES = 4_096;
const END_BYTES = 65_557;
/** The signatures of a ZIP file, of its end, and of a workbook of Excel before 2007. */
const ZIP = "PK\u0003\u0004";
const ZIP_END = "PK\u0005\u0006";
const ZIP_END_BYTES = 22;
const XLS = "\u00D0\u00CF\u0011\u00E0";
const XLS_SECTOR = 512;

/**
 * What a body has in place of records, known by its first and last characters: nothing, a page for people, or only a
 * part; null if it seems right. A form is declared where the body does not show it.
 */
export function damageOf(
  bytes: Uint8Array,
  form: SourceRequest["form"],
): "empty" | "disguised" | "cut" | null {
  if (bytes.length === 0) return "empty";
  const start = Buffer.from(bytes.subarray(0, START_BYTES)).toString("latin1").replace(/^ï»¿/, "");
  const end = Buffer.from(bytes.subarray(-END_BYTES)).toString("latin1");
  const first = start.trimStart()[0] ?? "";
  if (form === "page") return null;
  if (PAGE.test(start)) return "disguised";
  if (form && first === "{") return "disguised";
  const isZip = start.startsWith(ZIP);
  const isXls = start.startsWith(XLS);
  if (form === "workbook" && !isZip && !isXls) return "disguised";
  // A word such as NoRecordsFound has no end, and XML may come in place of a table.
  const isTable = (form === "lines" || form === "cells") && first !== "<" && /[\r\n]/.test(end);
  const isWhole = isTable
    ? hasEnd(end, form)
    : isZip
      ? end.slice(0, 4 - ZIP_END_BYTES).includes(ZIP_END)
      : isXls
        ? bytes.length % XLS_SECTOR === 0
        : end.trimEnd().endsWith(ENDS[first] ?? "");
  return isWhole ? null : "cut";
}

/** True if the last line of a table has an end, or has as many cells as the line before. */
function hasEnd(text: string, form: SourceRequest["form"]): boolean {
  const [before = "", last = ""] = text.split(/\r\n|\r|\n/).slice(-2);
  const cells = (line: string) => line.split(",").length;
  return last === "" || (form === "cells" && cells(last) >= cells(before));
}

/** What ends a body that begins so. */
const ENDS: Readonly<Record<string, string>> = { "{": "}", "[": "]", "<": ">" };

/** Makes the answer of a source from a response and its body. `host` is named if the body is empty. */
export function answerOf(
  source: Pick<Source, "name">,
  { status, headers }: Pick<Response, "status" | "headers">,
  bytes: Uint8Array,
  host?: string,
): SourceAnswer {
  return {
    status,
    headers,
    bytes,
    text: () => new TextDecoder().decode(bytes),
    json: async () => parseAnswer(source, bytes, host),
  };
}
