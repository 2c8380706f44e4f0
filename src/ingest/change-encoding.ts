import type { TSchema } from "@sinclair/typebox";
import { RECORDS } from "#domain/records.ts";
import { NO_ITEMS } from "#domain/statement.ts";
import { compress, decompress } from "#lib/zstd.ts";
import { refuseWrong } from "./batch.ts";
import { CHANGE_FIELDS, CHANGE_FORMAT, ImportedKey, type MarketChange } from "./changes.ts";

/** The maximum size of an encoded change before compression. A list of 15,000 quotes has 3 MiB. */
const MAX_CHANGE_BYTES = 64 * 2 ** 20;

/** A longer line would block the event loop while it is parsed. */
const MAX_LINE_BYTES = 2 ** 20;

/** A record whose list has more entries is written in pieces, a line each. */
const ENTRIES_PER_LINE = 1_000;

/** The text that is converted to bytes at once. */
const BYTES_PER_PART = 2 ** 18;

type Fields = Record<string, unknown>;

/** The schema of a change's records and their name in errors. */
interface RecordSchema {
  readonly schema: TSchema;
  readonly name: string;
}

/**
 * Encodes a change as lines of JSON, compressed with zstd: first its fields, then one record a line.
 *
 * @throws Error if a field or record does not match its schema, if the change has more than 64 MiB, or a
 * record without its list more than 1 MiB; `decodeChange` would refuse it on every node
 */
export async function encodeChange(change: MarketChange): Promise<Uint8Array> {
  const lines = writeLines(change);
  return compress(Buffer.concat(lines));
}

/**
 * Decodes and checks a change.
 *
 * @throws Error with the reason if a part is damaged or does not match its schema, or if the change is too large or of
 * another version
 */
export async function decodeChange(bytes: Uint8Array): Promise<DecodedChange> {
  const lines = await decompress(bytes, MAX_CHANGE_BYTES).catch(() => {
    throw refusal("it is damaged");
  });
  if (lines === null) throw refusal(TOO_MANY_BYTES);
  return readLines(lines);
}

const TOO_MANY_BYTES = `it has more than ${MAX_CHANGE_BYTES >> 20} MiB`;

/** A change that cannot be decoded. */
export class ChangeRefused extends Error {
  /** As a clause: `it is damaged`. */
  readonly reason: string;
  /** True if a newer bourse wrote it, which can read it. */
  readonly isNewer: boolean;

  constructor(reason: string, isNewer = false) {
    super(`The market change is refused: ${reason}.`);
    this.reason = reason;
    this.isNewer = isNewer;
  }
}

const refusal = (reason: string) => new ChangeRefused(reason);

function writeLines(change: MarketChange): Uint8Array[] {
  const { records, ...fields } = { records: [], ...change };
  const checked = checkFields(fields);
  const parts: Uint8Array[] = [];
  let total = 0;
  let text = `${JSON.stringify({ format: CHANGE_FORMAT, ...fields, records: records.length })}\n`;
  const flush = () => {
    const bytes = Buffer.from(text);
    total += bytes.length;
    if (total > MAX_CHANGE_BYTES) throw refusal(TOO_MANY_BYTES);
    parts.push(bytes);
    text = "";
  };
  for (const [i, record] of records.entries()) {
    for (const [piece, continues] of piecesOf(record as unknown as Fields)) {
      if (checked) refuseWrong(checked.schema, checked.name, i + 1, piece);
      const line = JSON.stringify(continues === null ? piece : [continues, piece]);
      if (line.length > MAX_LINE_BYTES) throw refusal(`record ${i + 1} is too long`);
      text += `${line}\n`;
      if (text.length < BYTES_PER_PART) continue;
      flush();
    }
  }
  flush();
  return parts;
}

/**
 * A record, or if one of its lists is long, records with a part of that list each. The second value is null
 * for the first piece, and the name of the list for a piece that continues it.
 */
function* piecesOf(record: Fields): Generator<[piece: Fields, continues: string | null]> {
  const isLong = (value: unknown) => Array.isArray(value) && value.length > ENTRIES_PER_LINE;
  const name = Object.keys(record).find((key) => isLong(record[key]));
  if (name === undefined) return yield [record, null];
  const entries = record[name] as unknown[];
  for (let i = 0; i < entries.length; i += ENTRIES_PER_LINE) {
    const part = entries.slice(i, i + ENTRIES_PER_LINE);
    yield [{ ...record, [name]: part }, i === 0 ? null : name];
  }
}

/** A change, and the format in which it was written. */
export interface DecodedChange {
  readonly change: MarketChange;
  readonly format: number;
}

function readLines(bytes: Uint8Array): DecodedChange {
  const lines = linesOf(bytes);
  const { format, records: count, ...fields } = parse(lines.next().value) as Fields;
  if (!Number.isInteger(format) || Number(format) < 1 || Number(format) > CHANGE_FORMAT) {
    throw new ChangeRefused(
      `it has the format ${String(format)}, and this bourse reads 1 to ${CHANGE_FORMAT}; upgrade bourse`,
      Number.isInteger(format) && Number(format) > CHANGE_FORMAT,
    );
  }
  const checked = checkFields(fields);
  const records: Fields[] = [];
  for (const line of lines) {
    const parsed = parse(line);
    const [continues, piece] = Array.isArray(parsed) ? parsed : [null, parsed];
    if (!checked) throw refusal("it has records that do not belong to it");
    if (checked.name.startsWith("statement")) addNewItems(piece as Fields);
    refuseWrong(checked.schema, checked.name, records.length + 1, piece);
    if (continues === null) records.push(piece as Fields);
    else extend(records.at(-1)?.[String(continues)], (piece as Fields)[String(continues)]);
  }
  if (records.length !== count) throw refusal("records are missing, or there are too many");
  const change = (checked ? { ...fields, records } : fields) as MarketChange;
  return { change, format: Number(format) };
}

/** Adds the items of a statement that an older bourse does not know and did not write: they are null. */
function addNewItems(statement: Fields): void {
  const { items } = statement;
  if (typeof items === "object" && items !== null) statement["items"] = { ...NO_ITEMS, ...items };
}

/** The lines of a text; each ends with a line feed. */
function* linesOf(bytes: Uint8Array): Generator<Uint8Array, undefined> {
  let from = 0;
  while (from < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, from);
    if (end === -1 || end - from > 4 * MAX_LINE_BYTES)
      throw refusal("it has a line that is too long");
    yield bytes.subarray(from, end);
    from = end + 1;
  }
}

const LINE_FEED = 10;

const decoder = new TextDecoder("utf-8", { fatal: true });

function parse(line: Uint8Array = new Uint8Array()): unknown {
  try {
    const value: unknown = JSON.parse(decoder.decode(line));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // The refusal below has no part of the text.
  }
  throw refusal("it has a line that is not JSON");
}

/** Adds the entries of a piece to the list of its record. */
function extend(list: unknown, entries: unknown): void {
  if (!Array.isArray(list) || !Array.isArray(entries)) {
    throw refusal("it has a line that continues no list");
  }
  for (const entry of entries) list.push(entry);
}

/**
 * Returns the schema of the records of a change with these fields; null if it has none.
 *
 * @throws Error if the fields do not match the schema of their type
 */
function checkFields(fields: Fields): RecordSchema | null {
  const type = String(fields["type"]);
  if (!Object.hasOwn(CHANGE_FIELDS, type))
    throw new ChangeRefused("its type is unknown; upgrade bourse", true);
  refuseWrong(CHANGE_FIELDS[type as keyof typeof CHANGE_FIELDS], "changes", 1, fields);
  if (type === "removal") return { schema: ImportedKey, name: type };
  if (type !== "answer" && type !== "import") return null;
  const kind = fields["kind"] as keyof typeof RECORDS;
  return { schema: RECORDS[kind], name: kind };
}
