import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** The name of the list of files in an export's folder. */
export const MANIFEST = "manifest.json";

const Nullable = <T extends ReturnType<typeof Type.String>>(text: T) =>
  Type.Union([text, Type.Null()]);

const ManifestFile = Type.Object({
  /** Relative to the manifest: `bars/US.parquet`. */
  path: Type.String(),
  kind: Type.String(),
  /** Null if the file has several countries. */
  country: Nullable(Type.String()),
  rows: Type.Integer(),
  bytes: Type.Integer(),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  /** The first and the last date of its rows; null without rows or dates. */
  first_date: Nullable(Type.String()),
  last_date: Nullable(Type.String()),
  sources: Type.Array(Type.String()),
});

/** The list of an export's files, with what a program needs to read them and a person to know their terms. */
export const Manifest = Type.Object({
  program: Type.Literal("bourse"),
  version: Type.String(),
  format: Type.String(),
  /** `sample` if every figure is generated. */
  market: Nullable(Type.String()),
  /** The UTC date for which metrics are computed and splits are in force. */
  date: Type.String(),
  /** When the newest record of the market was stored; null without records. */
  stored_at: Nullable(Type.String()),
  /** The first date that was asked for; null for all. */
  since: Nullable(Type.String()),
  files: Type.Array(ManifestFile),
  kinds: Type.Record(
    Type.String(),
    Type.Object({
      description: Type.String(),
      columns: Type.Array(
        Type.Object({
          name: Type.String(),
          type: Type.String(),
          unit: Type.String(),
          description: Type.String(),
        }),
      ),
    }),
  ),
  sources: Type.Array(
    Type.Object({
      source: Type.String(),
      terms: Type.String(),
      /** False if the terms do not allow to pass the records on. */
      redistributable: Type.Boolean(),
    }),
  ),
  /** What was left out, and why. */
  notes: Type.Array(Type.String()),
});
export type Manifest = Static<typeof Manifest>;
export type ManifestFile = Static<typeof ManifestFile>;

/** The manifest in a folder; null if there is none, or one of another program. */
export function findManifest(folder: string): Manifest | null {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"));
  } catch {
    return null;
  }
  return Value.Check(Manifest, value) ? value : null;
}
