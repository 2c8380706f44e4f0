import type { SourceAnswer, SourceClient } from "#sources/source.ts";

const API = "https://api.edinet-fsa.go.jp/api/v2";
/** The status comes first in a body. */
const HEAD_BYTES = 1_000;
const STATUS = /"(?:status|statusCode)"\s*:\s*"?(\d{3})\b/i;

/** Requests a path such as `/documents.json?type=2`. @throws SourceError also for a refusal in the body */
export function request(client: SourceClient, path: string): Promise<SourceAnswer> {
  const address = new URL(API + path);
  address.searchParams.set("Subscription-Key", client.key ?? "");
  return client.request(address.href, {
    accept: [404],
    refusal(answer) {
      const status = statusOf(answer);
      return status === 200 || status === 404 ? null : status;
    },
  });
}

/** The status of an answer. EDINET writes it into the body, and the status of HTTP is 200. */
export function statusOf({ status, bytes }: SourceAnswer): number {
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES)).trimStart();
  const written = head.startsWith("{") ? STATUS.exec(head)?.[1] : undefined;
  return written === undefined ? status : Number(written);
}
