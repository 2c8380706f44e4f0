import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";

/** The size and the SHA-256 (hexadecimal) of a file. */
export interface FileIdentity {
  readonly bytes: number;
  readonly sha256: string;
}

/** A new file that is written from its beginning to its end and hashed meanwhile. */
export class WrittenFile {
  readonly #file: number;
  readonly #hasher = new Bun.CryptoHasher("sha256");
  #bytes = 0;

  /** Creates the file. @throws Error of the file system, as all methods do */
  constructor(path: string) {
    this.#file = openSync(path, "wx", 0o600);
  }

  append(bytes: Uint8Array): void {
    this.#hasher.update(bytes);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
    this.#bytes += bytes.length;
  }

  /** Closes the file. `isSynced`: its content is on the disk then, also after a power cut. */
  finish({ isSynced }: { isSynced: boolean }): FileIdentity {
    if (isSynced) fsyncSync(this.#file);
    closeSync(this.#file);
    return { bytes: this.#bytes, sha256: this.#hasher.digest("hex") };
  }

  /** Closes the file after an error. */
  abandon(): void {
    closeSync(this.#file);
  }
}
