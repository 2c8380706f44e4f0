import { below, packed, tarGz } from "#deploy/archives.ts";
import { parseSecretKey, signBytes } from "#lib/minisign.ts";
import { START } from "./service.ts";
import { createSecretKeyFile } from "./signing-key.ts";

/** What an answer of the server is: a file's bytes, or any response. */
type Answer = Uint8Array | (() => Response | Promise<Response>);

/** A program that says which version of bourse it is, for which target: the executable of a played release. */
export const playedExecutable = (version: string, target: string, work = ""): string =>
  `#!/bin/sh\n${work}\necho '${JSON.stringify({ version, target })}'\n`;

/** A played release server on a free port. */
export class ReleaseServer {
  readonly #server: Bun.Server<undefined>;
  readonly #key = parseSecretKey(createSecretKeyFile());
  readonly files = new Map<string, Answer>();
  /** The time of its next signatures, UTC milliseconds. */
  signedAt = START - 86_400_000;
  /** The requests in their order: `Request` itself loses its headers after the answer. */
  readonly requests: { url: URL; headers: Record<string, string> }[] = [];

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        const url = new URL(request.url);
        this.requests.push({ url, headers: request.headers.toJSON() });
        const name = url.pathname.replace(/^\/latest\//, "");
        const answer = this.files.get(name);
        if (answer === undefined) return new Response("Not Found", { status: 404 });
        return typeof answer === "function" ? answer() : new Response(new Uint8Array(answer));
      },
    });
  }

  /** The settings of a bourse that asks this server. */
  get settings() {
    return { url: `${this.#server.url.href}latest`, publicKey: this.#key.publicKey };
  }

  /** The same settings as the environment of a program. */
  get env() {
    const { url, publicKey } = this.settings;
    return { BOURSE_UPDATES_URL: url, BOURSE_UPDATES_KEY: publicKey };
  }

  /** Publishes a release with archives of these executables, by target. */
  async publish(version: string, executables: Readonly<Record<string, string | Uint8Array>>) {
    this.files.clear();
    for (const [target, executable] of Object.entries(executables)) {
      const name = `bourse-${version}-${target}`;
      const file = packed("bin/bourse", executable, 0o755);
      const beside = packed("share/doc/bourse/LICENSE", "MIT License");
      this.files.set(`${name}.tar.gz`, await tarGz(below(name, [file, beside]), 0));
    }
    this.sign();
  }

  /** Signs the sums of the files that are published now, or others, with the comment of a release or another. */
  sign(
    sums = [...this.files].map(([name, answer]) => `${sha256(answer)}  ${name}\n`).join(""),
    comment = `timestamp:${this.signedAt / 1000}\tfile:SHA256SUMS\thashed`,
  ): void {
    const bytes = new TextEncoder().encode(sums);
    this.files.set("SHA256SUMS", bytes);
    const signature = signBytes(this.#key, bytes, comment);
    this.files.set("SHA256SUMS.minisig", new TextEncoder().encode(signature));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

function sha256(answer: Answer): string {
  if (typeof answer === "function") throw new Error("Sign before you break an answer.");
  return new Bun.CryptoHasher("sha256").update(answer).digest("hex");
}
