import { COMMAND_LINE } from "#access/audit.ts";
import { SignIn } from "#access/sign-in.ts";
import { isObject } from "#mcp/json-rpc.ts";
import { reasonOf } from "#lib/reason.ts";
import { fetchFrom, isSocketAddress } from "#lib/unix-socket.ts";
import type { RunningServer } from "#service/servers.ts";
import type { Invocation } from "./command.ts";
import { getFirstUser } from "./console.ts";
import { withAccess } from "./stores.ts";

const TIMEOUT_MS = 10_000;

/** A session of the console with a service on this machine. */
export interface LocalSession {
  /** The JSON of an endpoint below `/console/api/`. Rejects if it refuses. */
  send<T>(method: "GET" | "POST" | "DELETE", path: string): Promise<T>;
  /** Signs out. */
  end(): Promise<void>;
}

/** Signs in to a service of this data folder as its first user; why not, as a sentence, if it refuses. */
export async function openLocalSession(
  invocation: Pick<Invocation, "io" | "config">,
  { url }: RunningServer,
): Promise<LocalSession | string> {
  // Only processes with the right to the socket reach it, as over https.
  const origin = isSocketAddress(url) ? "https://localhost" : url;
  const proxy = isSocketAddress(url) ? { "X-Forwarded-Proto": "https" } : {};
  let cookie = "";
  const request = async (method: string, path: string, body?: object) => {
    const response = await fetchFrom(url, `/console/api/${path}`, {
      method,
      headers: {
        ...proxy,
        Origin: origin,
        "Content-Type": "application/json",
        ...(cookie !== "" && { Cookie: cookie }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const [set = ""] = response.headers.getSetCookie();
    if (set !== "") cookie = set.split(";")[0] ?? "";
    const answer: unknown = response.status === 204 ? null : await response.json();
    if (response.ok) return answer;
    const { error } = isObject(answer) ? answer : {};
    throw new Error(isObject(error) ? String(error["message"]) : `status ${response.status}`);
  };
  try {
    const key = await withAccess(invocation, async (access) => {
      const { name } = await getFirstUser(access);
      return (await new SignIn(access, invocation.io.clock).createKey(name, COMMAND_LINE)).key;
    });
    await request("POST", "session", { key });
  } catch (error) {
    return reasonOf(error);
  }
  return {
    send: async <T>(method: string, path: string) => (await request(method, path)) as T,
    async end() {
      await request("DELETE", "session").catch(() => {});
    },
  };
}
