import type { Slices } from "./slices.ts";

/** A JSON text is nested too deeply or has too many parts to be parsed safely. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";
}

/** How deep and how large a JSON text may be. */
export interface JsonLimits {
  readonly maxDepth: number;
  /** Arrays and objects in all. */
  readonly maxContainers: number;
}

const ANSWER_LIMITS: JsonLimits = { maxDepth: 64, maxContainers: 2_000_000 };
/** Characters that are parsed in one slice, in one or two milliseconds. */
const SLICE_LENGTH = 2 ** 16;

/**
 * Parses JSON in UTF-8 whose arrays and objects are nested at most 64 deep, two million of them in
 * all. The text is checked before `JSON.parse`, which would take gigabytes for a few megabytes of
 * brackets.
 *
 * The generator throws JsonLimitError beyond these limits, and SyntaxError if it is not JSON.
 */
export function* parseBoundedJson(bytes: Uint8Array): Slices<unknown> {
  const text = new TextDecoder().decode(bytes);
  if (text.length > SLICE_LENGTH) return yield* new PieceParser(text).parse();
  const excess = findJsonExcess(text, ANSWER_LIMITS);
  if (excess !== null) throw new JsonLimitError(`it ${excess}`);
  return JSON.parse(text) as unknown;
}

/**
 * What exceeds the limits, such as "is nested more than 32 levels deep"; null within them. It reads
 * the text once and stops at the excess.
 */
export function findJsonExcess(text: string, limits: JsonLimits): string | null {
  const structure = new Structure(text);
  let depth = 0;
  let containers = 0;
  for (let char = structure.next(); char !== 0; char = structure.next()) {
    if (isOpening(char)) {
      const excess = excessOf(++depth, ++containers, limits);
      if (excess !== null) return excess;
    } else if (char !== COMMA) depth--;
  }
  return null;
}

function excessOf(depth: number, containers: number, limits: JsonLimits): string | null {
  const { maxDepth, maxContainers } = limits;
  if (depth > maxDepth) return `is nested more than ${maxDepth} levels deep`;
  return containers > maxContainers ? `has more than ${maxContainers} arrays and objects` : null;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isOpening = (char: number) => char === OPEN_ARRAY || char === OPEN_OBJECT;

/** Finds the brackets and commas of a JSON text, outside of its strings. */
class Structure {
  readonly #text: string;
  /** The index of the last one found. */
  at = -1;
  /** The range of the last string before it, with its quotes. */
  stringStart = 0;
  stringEnd = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The code of the next bracket or comma; 0 at the end of the text. */
  next(): number {
    const text = this.#text;
    for (let at = this.at + 1; at < text.length; at++) {
      const char = text.charCodeAt(at);
      switch (char) {
        case QUOTE:
          this.stringStart = at;
          at = endOfString(text, at);
          this.stringEnd = at + 1;
          break;
        case COMMA:
        case OPEN_ARRAY:
        case OPEN_OBJECT:
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          this.at = at;
          return char;
      }
    }
    this.at = text.length;
    return 0;
  }
}

/** The index of the quote that closes the string at `start`; at or after the end if there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** An array or object whose closing bracket was not read yet. */
interface OpenContainer {
  readonly isArray: boolean;
  /** The range of its name in the text, with the quotes; of no meaning in an array. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Its members so far; null until a piece with its start was parsed. */
  value: unknown[] | object | null;
}

/**
 * Parses a long JSON text piece by piece. A piece ends at a comma. The brackets that are open there are
 * closed in a copy of the piece, which `JSON.parse` then reads, and the next piece adds its members to
 * the same arrays and objects. Containers with a value are always the outermost ones of `#open`.
 */
class PieceParser {
  readonly #text: string;
  readonly #open: OpenContainer[] = [];
  /** The start of the text that was not parsed yet. */
  #from = 0;
  /** True if the member before `#from` is complete, but not the comma or bracket after it. */
  #isAfterMember = false;

  constructor(text: string) {
    this.#text = text;
  }

  *parse(): Slices<unknown> {
    const structure = new Structure(this.#text);
    let containers = 0;
    for (let char = structure.next(); char !== 0; char = structure.next()) {
      const { at, stringStart: nameStart, stringEnd: nameEnd } = structure;
      if (isOpening(char)) {
        this.#open.push({ isArray: char === OPEN_ARRAY, nameStart, nameEnd, value: null });
        const excess = excessOf(this.#open.length, ++containers, ANSWER_LIMITS);
        if (excess !== null) throw new JsonLimitError(`it ${excess}`);
      } else if (char === COMMA) {
        if (!this.#isAfterMember && at - this.#from < SLICE_LENGTH) continue;
        const isLong = !this.#isAfterMember;
        this.#parsePiece(at);
        if (isLong) yield;
      } else {
        const closed = this.#open.at(-1);
        if (!closed?.value) this.#open.pop();
        else {
          if (closed.isArray !== (char === CLOSE_ARRAY)) throw new SyntaxError("a wrong bracket");
          this.#parsePiece(at);
          this.#isAfterMember = true;
          this.#open.pop();
          if (this.#open.length === 0) return this.#finish(closed.value);
        }
      }
    }
    // Without a value the whole text is one piece.
    if (this.#from > 0) throw new SyntaxError("an open bracket");
    return JSON.parse(this.#text) as unknown;
  }

  #finish(value: unknown): unknown {
    this.#expectBlank(this.#text.length);
    return value;
  }

  #expectBlank(end: number): void {
    if (this.#text.slice(this.#from, end).trim() !== "") throw new SyntaxError("a missing comma");
  }

  /** Parses the text before the comma or bracket at `end`. */
  #parsePiece(end: number): void {
    const open = this.#open;
    if (this.#isAfterMember) this.#expectBlank(end);
    else {
      const depth = open.findIndex(({ value }) => value === null);
      const known = depth < 0 ? open.length : depth;
      const parent = open[known - 1];
      const start = parent ? (parent.isArray ? "[" : "{") : "";
      const ends = open.slice(parent ? known - 1 : 0).reverse();
      const close = ends.map(({ isArray }) => (isArray ? "]" : "}")).join("");
      const piece = JSON.parse(start + this.#text.slice(this.#from, end) + close) as object;
      if (parent) addMembers(parent, piece);
      this.#setValues(known, piece);
    }
    this.#from = end + 1;
    this.#isAfterMember = false;
  }

  /** Sets the values of the containers from index `first` on, each the last member of the one before. */
  #setValues(first: number, root: object): void {
    for (const [i, container] of this.#open.entries()) {
      if (i < first) continue;
      const parent = this.#open[i - 1]?.value;
      const { nameStart, nameEnd } = container;
      container.value = !parent
        ? root
        : Array.isArray(parent)
          ? (parent.at(-1) as object)
          : (Reflect.get(parent, JSON.parse(this.#text.slice(nameStart, nameEnd))) as object);
    }
  }
}

/** Adds the members of a piece, at least one, to the container that the piece continues. */
function addMembers({ value }: OpenContainer, piece: object): void {
  const members = Object.entries(piece);
  if (members.length === 0) throw new SyntaxError("a comma without a member");
  for (const [name, member] of members) {
    if (Array.isArray(value)) value.push(member);
    // Not by assignment, because that would treat `__proto__` differently.
    else if (value) Object.defineProperty(value, name, { value: member, ...PLAIN_MEMBER });
  }
}

const PLAIN_MEMBER = { writable: true, enumerable: true, configurable: true };
