import { useState } from "preact/hooks";
import { type Resource } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { useArrival } from "#console/app/parts/arrival.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { LabelField } from "#console/app/parts/label-field.tsx";
import { Failure } from "#console/app/parts/panel.tsx";
import { commandLine, service } from "#console/app/session.ts";
import { lists, WATCHLIST } from "#console/app/user-lists.ts";
import { fillRecipe } from "#console/app/client-lines.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { localHostOf } from "./address.ts";
import { ExpiryField, readExpiry } from "#console/app/pages/tokens/expiry.tsx";
import { ListTicks, readLists } from "#console/app/pages/tokens/lists.tsx";
import { FirstCall } from "#console/app/pages/tokens/first-call.tsx";
import { createToken, type ShownToken } from "#console/app/pages/tokens/secret.tsx";

/** How a program reads the service. */
export type Recipe = AnswerTo<"GET recipes">[number];

/** The secret that a recipe needs: its mark in the texts, its kind, and its name for people. */
const SECRETS = [
  ["LINK", "feed", "feed link"],
  ["TOKEN", "api", "token"],
] as const;
type Mark = (typeof SECRETS)[number][0];
/** The secrets that were made on the page. They are in its memory only, so they are gone when it is left. */
export type Made = Partial<Record<Mark, ShownToken>>;

/** The secrets with one more. */
export function withMade(made: Made, token: ShownToken): Made {
  return { ...made, [token.kind === "feed" ? "LINK" : "TOKEN"]: token };
}

const needsMark = ({ texts }: Recipe, mark: Mark) =>
  texts.some(({ text }) => text.includes(`<${mark}>`));

/** True if the program takes a secret of that kind. */
export const readsKind = (recipe: Recipe, kind: ShownToken["kind"]) =>
  SECRETS.some(([mark, one]) => one === kind && needsMark(recipe, mark));

/** What to do in a program: the texts for it, and with `onCreated` a form that makes the secret in them. */
export function RecipeTexts(props: {
  readonly recipe: Recipe;
  readonly made: Made;
  readonly tokens: Resource<AnswerTo<"GET tokens">>;
  readonly onCreated?: (token: ShownToken) => void;
  /** The names of the lists that are ticked for a new feed link. */
  readonly ticked?: readonly string[];
}) {
  const { recipe, made, tokens, onCreated, ticked } = props;
  const { program, group, how, texts, isReadByServers } = recipe;
  const values = {
    URL: service.value?.url ?? window.location.origin,
    LINK: made.LINK?.token,
    TOKEN: made.TOKEN?.token,
  };
  const localHost = localHostOf(values.URL);
  const isOutOfReach = localHost !== null && isReadByServers;
  // Those with a feed link read figures, and no MCP.
  const isAgent = group === "Agents" && !needsMark(recipe, "LINK");
  const needed = SECRETS.find(([mark]) => needsMark(recipe, mark));
  const shown = needed && made[needed[0]];
  // One that was made before this program was chosen does not take the focus.
  const [atOpen] = useState(shown?.id);
  return (
    <>
      <p>{translate(how)}</p>
      {isOutOfReach && (
        <p>
          <b>
            {t(
              "The address of this service is local ({host}): servers elsewhere cannot reach it.",
              {
                host: localHost,
              },
            )}
          </b>
        </p>
      )}
      {needed && onCreated && !shown && (
        <SecretForm program={program} needed={needed} ticked={ticked} onCreated={onCreated} />
      )}
      {needed && onCreated && shown && (
        <NewSecret name={needed[2]} isNew={shown.id !== atOpen} isOne={texts.length === 1} />
      )}
      {texts.map(({ label, text }) => (
        <div class="recipe-text" key={label}>
          {label !== null && <p class="muted">{translate(label)}</p>}
          <CodeBlock
            text={fillRecipe(text, values)}
            canCopy={shown !== undefined || !text.includes(`<${needed?.[0]}>`)}
          />
        </div>
      ))}
      {isOutOfReach && (
        <>
          <p>
            {t(
              "A tunnel gives it a public address. Run the first command, and start the service again with the address that it prints.",
            )}
          </p>
          <CodeBlock text={tunnelTo(values.URL)} />
        </>
      )}
      {shown && <FirstCall shown={shown} tokens={tokens} isAgent={isAgent} />}
      {isAgent && <Question />}
    </>
  );
}

/** The commands that make a local service public. The tunnel calls it from this machine. */
const tunnelTo = (url: string) =>
  `cloudflared tunnel --url ${url}\nBOURSE_PUBLIC_URL=https://… BOURSE_TRUSTED_PROXIES=127.0.0.1 ${commandLine("serve")}`;

/** What to ask an agent, about a list of the reader if there is one. */
function Question() {
  const [first] = lists.value;
  const list = lists.value.find(({ name }) => name === WATCHLIST) ?? first;
  const text = list
    ? t("Use bourse: which companies on my list “{name}” report in the next seven days?", {
        name: list.name,
      })
    : t("Use bourse to compare Apple, Microsoft and Nvidia by valuation.");
  return (
    <>
      <p>{t("Then ask, for example:")}</p>
      <CodeBlock text={text} />
      <p class="muted">
        {t(
          "An agent may read your lists. It changes them only with a token that has the tick “May change your lists” on the page Tokens.",
        )}
      </p>
      <p class="muted">
        {t("Fewer tools take fewer tokens: add tool sets to the address, such as {example}.", {
          example: "?tools=market,lists",
        })}{" "}
        <a href="/docs/rest-and-mcp#mcp">{t("All tool sets")}</a>
      </p>
    </>
  );
}

/** Says that the secret is in the texts, or in the only one. */
function NewSecret(props: {
  readonly name: string;
  readonly isNew: boolean;
  readonly isOne: boolean;
}) {
  const place = useArrival<HTMLParagraphElement>(null, props.isNew);
  const name = translate(props.name);
  return (
    <p role="status" ref={place} tabIndex={-1}>
      {props.isOne
        ? t("Your new {name} is in the text below. Copy it now: it is not shown again.", { name })
        : t("Your new {name} is in the texts. Copy them now: it is not shown again.", { name })}
    </p>
  );
}

/** Makes the secret that the texts need, which is shown in them this one time. */
function SecretForm(props: {
  readonly program: string;
  readonly needed: (typeof SECRETS)[number];
  readonly ticked: readonly string[] | undefined;
  readonly onCreated: (token: ShownToken) => void;
}) {
  const { program, needed, ticked, onCreated } = props;
  const [mark, kind] = needed;
  const { isBusy, error, run } = useAction();
  const submit = async (event: FormEvent) => {
    const form = readForm(event);
    const label = readText(form, "label").trim();
    const expires = readExpiry(form);
    const lists = kind === "feed" && { lists: readLists(form) };
    await run(async () => onCreated(await createToken({ kind, label, expires, ...lists })));
  };
  return (
    <>
      <form class="row-form" onSubmit={submit}>
        <LabelField value={program} />
        <ExpiryField kind={kind} />
        {kind === "feed" && <ListTicks ticked={ticked} />}
        <button type="submit" class="primary" disabled={isBusy}>
          {t(kind === "feed" ? "Create a feed link" : "Create a token")}
        </button>
      </form>
      <p class="muted">{t("It takes the place of {mark} below.", { mark: `<${mark}>` })}</p>
      {error !== null && <Failure message={error} />}
    </>
  );
}
