import { expect } from "bun:test";
import { COMMAND_LINE } from "#access/audit.ts";
import { SignIn } from "#access/sign-in.ts";
import type { AnswerTo, ConsoleRoute } from "#http/console-api.ts";
import { atOnce } from "./at-once.ts";
import type { TestService } from "./service.ts";

/** A sign-in key of a user, as `bourse console USER` makes it. */
export function createKey(
  { access, time }: Pick<TestService, "access"> & { readonly time: { readonly now: number } },
  user: string,
): string {
  return atOnce(new SignIn(access, () => time.now)).createKey(user, COMMAND_LINE).key;
}

/** The value of a cookie that an answer sets. */
export function cookieOf(response: Response): { pair: string; attributes: string } {
  const [header = ""] = response.headers.getSetCookie();
  const [pair = "", ...attributes] = header.split("; ");
  return { pair, attributes: attributes.join("; ") };
}

/** The status and the sentence of a refusal. */
export async function refusalOf(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { message: string } };
  return [response.status, error.message];
}

/** The endpoint of a path with or without a query. */
type RouteOf<Path extends string> = ConsoleRoute &
  `GET ${Path extends `${infer Bare}?${string}` ? Bare : Path}`;

/** A client that acts like a browser on a page of the console: it keeps its cookie and sends the headers of browsers. */
export class ConsoleClient {
  readonly #service: TestService;
  /** `name=value`; empty before the sign-in. */
  cookie = "";

  constructor(service: TestService) {
    this.#service = service;
  }

  /** Requests a path below `/console/api/`. Headers that are null are left out. */
  async send(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Readonly<Record<string, string | null>> } = {},
  ): Promise<Response> {
    const { origin } = this.#service;
    const all = {
      "sec-fetch-site": "same-origin",
      ...(method !== "GET" && method !== "HEAD" && { origin }),
      ...(options.body !== undefined && { "content-type": "application/json" }),
      ...(this.cookie !== "" && { cookie: this.cookie }),
      ...options.headers,
    };
    const headers = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    const response = await fetch(`${origin}/console/api/${path}`, {
      method,
      headers,
      redirect: "manual",
      ...(options.body !== undefined && {
        body:
          typeof options.body === "string" || options.body instanceof ReadableStream
            ? options.body
            : JSON.stringify(options.body),
      }),
    });
    const { pair } = cookieOf(response);
    if (pair !== "") this.cookie = pair.endsWith("=") ? "" : pair;
    return response;
  }

  /** The JSON of a GET that succeeds. */
  async get<Path extends string>(path: Path): Promise<AnswerTo<RouteOf<Path>>> {
    const response = await this.send("GET", path);
    expect(response.status).toBe(200);
    return (await response.json()) as AnswerTo<RouteOf<Path>>;
  }

  /** Signs in by a new link; the user must exist. More than 20 sign-ins a minute of the clock are refused. */
  async signIn(user: string): Promise<this> {
    const response = await this.send("POST", "session", {
      body: { key: createKey(this.#service, user) },
    });
    expect(response.status).toBe(200);
    return this;
  }
}
