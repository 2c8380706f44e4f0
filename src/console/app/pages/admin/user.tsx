import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { formatInstant, formatNumber, MISSING } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { useArrival } from "#console/app/parts/arrival.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { Empty, Failure, Loaded } from "#console/app/parts/panel.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { isLive } from "#console/app/pages/tokens/table.tsx";

/** A user, as the service lists them. */
export type User = AnswerTo<"GET users">[number];

const ROLES = ["user", "admin"] as const;

/** The role that a form has. */
export function readRole(form: FormData): User["role"] {
  return ROLES.find((role) => role === readText(form, "role")) ?? "user";
}

/** The choice of a plan, in a form. */
export function PlanField(props: { readonly plans: readonly string[]; readonly plan: string }) {
  return (
    <label>
      {t("Plan")}
      <select name="plan">
        {props.plans.map((plan) => (
          <option key={plan} value={plan} selected={plan === props.plan}>
            {plan}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The choices of a plan and a role, in a form. */
export function PlanAndRole(props: {
  readonly plans: readonly string[];
  readonly plan: string;
  readonly role: User["role"];
}) {
  return (
    <>
      <PlanField {...props} />
      <label>
        {t("Role")}
        <select name="role">
          {ROLES.map((role) => (
            <option key={role} value={role} selected={role === props.role}>
              {translate(role)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** A link that signs a user in. */
export type LinkOfUser = AnswerTo<"POST users/:name/link">;

/** Makes a link, which signs the user in once. @throws ApiError */
export const makeLink = (user: string): Promise<LinkOfUser> =>
  request("POST users/:name/link", { param: user });

/** A link to copy, and how long it is valid. */
export function ShownLink({ link }: { readonly link: LinkOfUser }) {
  const place = useArrival<HTMLDivElement>(link.url);
  return (
    <div ref={place} tabIndex={-1}>
      <CodeBlock text={link.url} />
      <p class="muted">{t("It is valid until {time}.", { time: formatInstant(link.expiresAt) })}</p>
    </div>
  );
}

interface UserProps {
  readonly user: User;
  readonly plans: readonly string[];
  readonly onChanged: () => void;
  readonly onDone: () => void;
}

/** A user beside the table: plan and role, tokens, a sign-in link, and removal. */
export function UserDetails(props: UserProps) {
  const { name } = props.user;
  const remove = async () => {
    await request("DELETE users/:name", { param: name });
    props.onChanged();
  };
  return (
    <div class="drawer stack">
      <ChangeUser {...props} />
      <h3>{t("Live tokens")}</h3>
      <Tokens user={name} />
      <h3>{t("Sign-in link")}</h3>
      <SignInLink user={name} />
      <div>
        <ConfirmButton text={t("Remove")} question={t("Remove {name}?", { name })} action={remove}>
          {t(
            "This revokes all tokens of {name} and ends all sessions. The user cannot be restored.",
            { name },
          )}
        </ConfirmButton>
      </div>
    </div>
  );
}

type Token = AnswerTo<"GET tokens">[number];

const TOKEN_COLUMNS: readonly Column<Token>[] = [
  {
    title: "Label",
    cell: ({ label, prefix }) => (
      <>
        {label || MISSING} <code class="muted">{prefix}…</code>
      </>
    ),
  },
  {
    title: "Calls today",
    cell: ({ callsToday }) => formatNumber(callsToday, 0),
    isNumber: true,
  },
  {
    title: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("never") : <Ago at={lastUsedAt} />),
  },
];

/** The live tokens of a user, without their secrets. */
function Tokens({ user }: { readonly user: string }) {
  const tokens = useConsole("GET tokens", `user=${encodeURIComponent(user)}`);
  return (
    <Loaded of={tokens} lines={2}>
      {(list) => {
        const live = list.filter(isLive);
        if (live.length === 0) return <Empty>{t("No live token.")}</Empty>;
        return (
          <DataTable
            label={t("Live tokens")}
            columns={TOKEN_COLUMNS}
            rows={live}
            keyOf={({ id }) => id}
          />
        );
      }}
    </Loaded>
  );
}

/** Makes a link when the admin asks for it, because each link signs in. */
function SignInLink({ user }: { readonly user: string }) {
  const { isBusy, error, run } = useAction();
  const [link, setLink] = useState<LinkOfUser | null>(null);
  const make = () => run(async () => setLink(await makeLink(user)));
  return (
    <>
      <p>
        {t("A link signs this user in once, within 15 minutes. Send it over a private channel.")}
      </p>
      {error !== null && <Failure message={error} />}
      {link === null ? (
        <div>
          <button type="button" disabled={isBusy} onClick={() => void make()}>
            {t("Create a link")}
          </button>
        </div>
      ) : (
        <ShownLink link={link} />
      )}
    </>
  );
}

function ChangeUser(props: UserProps) {
  const { user, plans, onChanged, onDone } = props;
  const { isBusy, error, run } = useAction();
  const submit = async (event: FormEvent) => {
    const form = readForm(event);
    const [plan, role] = [readText(form, "plan"), readRole(form)];
    const body = {
      ...(plan !== user.plan && { plan }),
      ...(role !== user.role && { role }),
    };
    const isSaved =
      Object.keys(body).length === 0 ||
      (await run(() => request("PATCH users/:name", { param: user.name, body })));
    if (!isSaved) return;
    onChanged();
    onDone();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <PlanAndRole plans={plans} plan={user.plan} role={user.role} />
      <p class="muted">
        {t("A plan applies from the next call on. An admin can do everything in this console.")}
      </p>
      {error !== null && <Failure message={error} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {t("Save")}
        </button>
      </div>
    </form>
  );
}
