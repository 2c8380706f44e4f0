import { writeFlat } from "./flat.ts";
import { writeLean } from "./lean.ts";
import type { WriteRequest, WrittenFiles } from "./tables.ts";
import { writeZipline } from "./zipline.ts";

/** Writes bars as files that another program reads. */
type Shape = (request: WriteRequest) => Promise<WrittenFiles>;

/** The forms of other programs, by the value of `--format`. */
export const SHAPES = {
  lean: writeLean,
  zipline: writeZipline,
  flat: writeFlat,
} as const satisfies Readonly<Record<string, Shape>>;
export type ShapeName = keyof typeof SHAPES;
