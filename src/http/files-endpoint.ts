import type { Guard } from "#access/guard.ts";
import type { Quota } from "#access/quota.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import type { ExportedFile, ExportedFiles } from "#exports/exported-files.ts";
import { MANIFEST } from "#exports/manifest.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { PROGRAM } from "#lib/compiled.ts";
import type { Log } from "#lib/log.ts";
import { createTtlCache } from "#lib/ttl-cache.ts";
import { type ErrorAnswers, errorResponse } from "./answers.ts";
import { type ByteRange, readRange } from "./byte-range.ts";
import { EVERY_ANSWER, type HeaderBag, isHeld, SharedHeaders } from "./headers.ts";
import type { Trace } from "./trace.ts";

/** Within this time, a program that reads parts of a file with one token makes one call. */
const ONE_CALL_MS = 60_000;
const MAX_READERS = 10_000;

const TYPES: Readonly<Record<string, string>> = {
  json: "application/json",
  parquet: "application/vnd.apache.parquet",
};

/** The files of scheduled exports, and who may read them. */
export interface ServedFiles extends Pick<ExportedFiles, "list"> {
  readonly isAdmin: (user: string) => Awaitable<boolean>;
}

/** The dependencies of the files. */
export interface FilesParts {
  readonly files: ServedFiles;
  readonly guard: Guard;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

const NOT_AN_ADMIN = new BourseError(
  "forbidden",
  "The files are the whole market, for the owner's own use: only tokens and feed links of administrators read them.",
  { hint: "Call the operations with this token, or ask an administrator for the files." },
);

const ofToday = (day: string) =>
  new BourseError("forbidden", `The files are the market of today, and this token is in ${day}.`, {
    hint: "Call the operations with this token, or read the files by a token without a day.",
  });

/** Who asks for a file. */
export interface FilesRequest {
  readonly request: Request;
  /** Below `/files/`, percent-encoded. */
  readonly path: string;
  readonly trace: Trace | null;
  /** The `Authorization` header, or what stands for it in the URL of a feed. */
  readonly authorization: () => string | null;
  readonly place: "api" | "feed";
}

/** Answers requests for the files of the newest scheduled export, whole or in part. */
export class FilesEndpoint {
  readonly #parts: FilesParts;
  readonly #errors: ErrorAnswers;
  readonly #fixed: HeaderBag;
  /** By token and path: who has read a part of a file in the last minute. */
  readonly #readers;

  /** @param fixed headers of every answer */
  constructor(parts: FilesParts, errors: ErrorAnswers, fixed: HeaderBag) {
    this.#parts = parts;
    this.#errors = errors;
    this.#fixed = { ...EVERY_ANSWER, ...fixed };
    this.#readers = createTtlCache<object>({
      ttlMs: ONE_CALL_MS,
      maxEntries: MAX_READERS,
      maxWeight: MAX_READERS,
      weigh: () => 1,
      clock: parts.clock,
    });
  }

  async answer(asked: FilesRequest): Promise<Response> {
    const { request, path, trace, place } = asked;
    if (trace)
      Object.assign(trace, { via: place === "feed" ? "feed" : "rest", operation: "files" });
    let quota: Quota | null = null;
    try {
      const { guard } = this.#parts;
      const principal = await guard.authenticate(asked.authorization(), place);
      if (trace) trace.tokenId = principal.tokenId;
      const isPart = request.method === "HEAD" || request.headers.has("range");
      const reader = `${principal.tokenId} ${path}`;
      if (isPart && this.#readers.find(reader)) quota = await guard.quota(principal);
      else {
        const charge = await guard.charge(principal);
        ({ quota } = charge);
        if (charge.denied) throw charge.denied;
        if (isPart) this.#readers.set(reader, {});
      }
      if (principal.asOf !== null) throw ofToday(principal.asOf);
      if (!(await this.#parts.files.isAdmin(principal.user))) throw NOT_AN_ADMIN;
      return this.#send(request, this.#find(request, path), quota);
    } catch (thrown) {
      return this.#errors.answer(thrown, quota, trace);
    }
  }

  /** @throws BourseError if there is no such file */
  #find(request: Request, path: string): ExportedFile {
    refuseParameters(request);
    const files = this.#parts.files.list();
    // Only names of the manifest are files, so no path leads out of the folder.
    const file = files.get(decode(path) || MANIFEST);
    if (file) return file;
    if (files.size === 0) {
      throw notFound("There are no files: no scheduled export is complete.", {
        hint: `The operator sets BOURSE_EXPORT_EVERY=24h; \`${PROGRAM} status\` shows the last export.`,
      });
    }
    throw notFound("There is no such file.", {
      hint: `The file ${MANIFEST} lists all, such as ${[...files.keys()].find((one) => one.includes("/")) ?? MANIFEST}.`,
    });
  }

  #send(request: Request, file: ExportedFile, quota: Quota): Response {
    const { path, bytes, sha256, sources } = file;
    const tag = `"${sha256}"`;
    const { headers } = new SharedHeaders({
      ...this.#fixed,
      ETag: tag,
      // The next export can have another file of this name.
      "Cache-Control": "private, no-cache",
      "Content-Disposition": "attachment",
      ...(sources.length > 0 && { "X-Data-Source": sources.join(", ") }),
    }).setQuota(quota, this.#parts.clock());
    if (isHeld(request, tag)) return new Response(null, { status: 304, headers });
    headers.set("Content-Type", TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream");
    const asked = request.method === "GET" ? request.headers.get("range") : null;
    const range = isCurrent(request, tag) ? readRange(asked, bytes) : null;
    if (range === "unsatisfiable") return this.#refuseRange(bytes, headers);
    if (range) return sendPart(file, range, headers);
    if (request.method === "HEAD") headers.set("Content-Length", String(bytes));
    // Bun cuts a file by the request's range by itself, which must not happen to one that is ignored here.
    if (asked !== null)
      return new Response(Bun.file(path).stream().pipeThrough(new TransformStream()), { headers });
    headers.set("Accept-Ranges", "bytes");
    return new Response(request.method === "HEAD" ? null : Bun.file(path), { headers });
  }

  #refuseRange(bytes: number, shared: Headers): Response {
    const error = new BourseError(
      "range_not_satisfiable",
      `The file has ${bytes} bytes, and the range begins behind them.`,
    );
    const response = errorResponse(error, this.#fixed);
    for (const [name, value] of shared)
      if (/ratelimit/.test(name)) response.headers.set(name, value);
    response.headers.set("Content-Range", `bytes */${bytes}`);
    return response;
  }
}

function sendPart(
  { path, bytes }: ExportedFile,
  { first, last }: ByteRange,
  headers: Headers,
): Response {
  headers.set("Content-Range", `bytes ${first}-${last}/${bytes}`);
  headers.set("Accept-Ranges", "bytes");
  return new Response(Bun.file(path).slice(first, last + 1), { status: 206, headers });
}

/** False if the client has parts of another version of the file, by `If-Range`. A date is never the same version. */
function isCurrent(request: Request, tag: string): boolean {
  const wanted = request.headers.get("if-range");
  return wanted === null || wanted.trim() === tag;
}

function refuseParameters({ url }: Request): void {
  const mark = url.indexOf("?");
  if (mark < 0) return;
  const names = [...new URLSearchParams(url.slice(mark)).keys()];
  const unknown = names.find((name) => !/^(_|utm_)/.test(name));
  if (unknown === undefined) return;
  throw invalidArgument(`A file takes no parameters, such as ${unknown}.`, { param: unknown });
}

/** The path in the URL as text; as it is if it cannot be decoded. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
