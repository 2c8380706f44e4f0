import { CopyButton } from "#console/app/parts/code-block.tsx";
import { service } from "#console/app/session.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

/** A token that was made since the page was opened. */
export interface ShownToken extends AnswerTo<"POST tokens"> {
  readonly kind: AnswerTo<"GET tokens">[number]["kind"];
  readonly label: string;
}

/** What a person copies: the token, or a URL with the feed link. */
function secretOf({ kind, token }: ShownToken): string {
  if (kind === "api") return token;
  const address = service.value?.url ?? window.location.origin;
  return `${address}/feed/${token}/sheets/quotes.csv?symbols=US:AAPL,JP:7203,VN:FPT`;
}

/** The new secret, which is shown this one time. */
export function Secret({ shown }: { readonly shown: ShownToken }) {
  return (
    <div class="new-token" role="status">
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
