import { BourseError, notFound } from "#domain/errors.ts";
import type {
  ListedDocument,
  NamedKind,
  OwnDocuments,
  StoredDocument,
  UserDocuments,
} from "#domain/user-documents.ts";

/**
 * The lists that a link reads, of all documents of its user. Links are passed on, so no error names the user, or a list
 * that the link does not read: it is the same whether there is such a list or not.
 */
export class LinkedLists implements OwnDocuments {
  readonly #all: OwnDocuments;
  readonly #names: readonly string[];

  /** @param names of the lists that the link reads */
  constructor(all: OwnDocuments, names: readonly string[]) {
    this.#all = all;
    this.#names = names;
  }

  async list(kind: NamedKind): Promise<readonly ListedDocument[]> {
    const all = await this.#all.list(kind);
    return all.filter(({ name }) => kind === "list" && this.#names.includes(name));
  }

  async get<K extends NamedKind>(kind: K, name: string): Promise<StoredDocument<UserDocuments[K]>> {
    if (kind !== "list") throw this.#unread();
    const found = await this.#find(kind, name);
    // The names of a call may be titles.
    const isRead = [found?.value.name ?? "", name].some((one) => this.#names.includes(one));
    if (!found || !isRead) throw this.#unread();
    return found;
  }

  async #find<K extends NamedKind>(kind: K, name: string) {
    try {
      return await this.#all.get(kind, name);
    } catch (thrown) {
      if (thrown instanceof BourseError && thrown.code === "not_found") return null;
      throw thrown;
    }
  }

  save(): never {
    throw readsOnly();
  }

  replace(): never {
    throw readsOnly();
  }

  remove(): never {
    throw readsOnly();
  }

  #unread(): BourseError {
    const names = this.#names;
    return notFound(
      names.length === 0
        ? "No list can be read here."
        : `That list cannot be read here. These can: ${names.join(", ")}.`,
      {
        allowed: names.slice(0, 20),
        hint: "A link reads the lists that were chosen when it was made. Make a new link to choose others.",
      },
    );
  }
}

/** The refusal of a change. */
function readsOnly(): BourseError {
  return new BourseError("forbidden", "A link only reads lists.");
}
