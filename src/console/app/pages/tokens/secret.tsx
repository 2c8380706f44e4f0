import { request } from "#console/app/api.ts";
import { useArrival } from "#console/app/parts/arrival.ts";
import { CopyButton } from "#console/app/parts/code-block.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { service } from "#console/app/session.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo, BodyOf } from "#http/console-api.ts";

/** A token that was made since the page was opened. */
export interface ShownToken extends AnswerTo<"POST tokens"> {
  readonly kind: AnswerTo<"GET tokens">[number]["kind"];
}

/** Makes a token, whose label the server changes if another token has it. */
export async function createToken(body: BodyOf<"POST tokens">): Promise<ShownToken> {
  const created = await request("POST tokens", { body });
  if (created.label !== body.label) {
    showToast({
      text: t("Another live token has the label {label}, so the new one is {next}.", {
        label: body.label,
        next: created.label,
      }),
    });
  }
  return { ...created, kind: body.kind ?? "api" };
}

/** What a person copies: the token, or a URL with the feed link. */
function secretOf({ kind, token }: ShownToken): string {
  if (kind === "api") return token;
  const address = service.value?.url ?? window.location.origin;
  return `${address}/feed/${token}/sheets/quotes.csv?symbols=US:AAPL,JP:7203,VN:FPT`;
}

/** The new secret, which is shown this one time. */
export function Secret({ shown }: { readonly shown: ShownToken }) {
  const place = useArrival<HTMLDivElement>(shown.id);
  return (
    <div class="new-token" role="status" ref={place} tabIndex={-1}>
      <p>
        <b>{shown.label}</b>:{" "}
        {t("Copy it now. It is not shown again, because only its hash is stored.")}
      </p>
      <div class="secret">
        <code>{secretOf(shown)}</code>
        <CopyButton text={secretOf(shown)} label="Copy" />
      </div>
    </div>
  );
}
