import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { formatInstant, formatNumber } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { me } from "#console/app/session.ts";
import type { AnswerTo } from "#http/console-api.ts";

type User = AnswerTo<"GET users">[number];

const ROLES = ["user", "admin"] as const;

/** Users: add one, change plan and role, make a sign-in link, remove one. */
export function UsersPanel() {
  const users = useConsole("GET users");
  const plans = useConsole("GET plans");
  const names = plans.value?.map(({ plan }) => plan) ?? [];
  return (
    <>
      <Panel title="Add a user">
        <AddUser plans={names} onAdded={users.reload} />
      </Panel>
      <Panel title="Users">
        <Loaded of={users}>
          {(list) => (
            <DataTable
              label="All users"
              columns={columnsOf(names, users.reload)}
              rows={list}
              keyOf={({ name }) => name}
            />
          )}
        </Loaded>
      </Panel>
      {/* Below a table of unknown height, so it comes after it. */}
      {users.isLoading && users.value === null ? null : (
        <Panel title="Plans">
          <Loaded of={plans}>
            {(list) => (
              <DataTable
                label="Limits of the plans"
                columns={PLAN_COLUMNS}
                rows={list}
                keyOf={({ plan }) => plan}
              />
            )}
          </Loaded>
        </Panel>
      )}
    </>
  );
}

const PLAN_COLUMNS: readonly Column<AnswerTo<"GET plans">[number]>[] = [
  { title: "Plan", cell: ({ plan }) => plan },
  {
    title: "Calls a day, per token",
    cell: ({ daily }) => (daily === null ? "no limit" : formatNumber(daily, 0)),
    isNumber: true,
  },
  {
    title: "Calls an hour, per token",
    cell: ({ hourly }) => (hourly === null ? "no limit" : formatNumber(hourly, 0)),
    isNumber: true,
  },
  {
    title: "Live tokens of a user",
    cell: ({ tokens }) => formatNumber(tokens, 0),
    isNumber: true,
  },
];

function readRole(form: FormData): User["role"] {
  return ROLES.find((role) => role === readText(form, "role")) ?? "user";
}

function AddUser(props: { readonly plans: readonly string[]; readonly onAdded: () => void }) {
  const { plans, onAdded } = props;
  const { isBusy, error, run } = useAction();
  const [added, setAdded] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    const element = event.currentTarget;
    const form = readForm(event);
    const body = {
      name: readText(form, "name").trim(),
      plan: readText(form, "plan"),
      role: readRole(form),
    };
    setAdded(null);
    if (!(await run(() => request("POST users", { body })))) return;
    element.reset();
    setAdded(body.name);
    onAdded();
  };
  return (
    <>
      <form class="row-form" onSubmit={submit}>
        <label>
          Name
          <input name="name" required maxLength={64} autocomplete="off" />
        </label>
        <PlanAndRole plans={plans} plan="free" role="user" />
        <button type="submit" class="primary" disabled={isBusy || plans.length === 0}>
          Add
        </button>
      </form>
      {error !== null && <Failure message={error} />}
      {added !== null && (
        <p role="status">
          <span class="gain">✓</span> {added} was added. Make a sign-in link below and send it.
        </p>
      )}
    </>
  );
}

function PlanAndRole(props: {
  readonly plans: readonly string[];
  readonly plan: string;
  readonly role: User["role"];
}) {
  return (
    <>
      <label>
        Plan
        <select name="plan">
          {props.plans.map((plan) => (
            <option key={plan} value={plan} selected={plan === props.plan}>
              {plan}
            </option>
          ))}
        </select>
      </label>
      <label>
        Role
        <select name="role">
          {ROLES.map((role) => (
            <option key={role} value={role} selected={role === props.role}>
              {role}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

function columnsOf(plans: readonly string[], onChanged: () => void): Column<User>[] {
  return [
    {
      title: "Name",
      cell: ({ name }) => (
        <>
          <span class="token-label">{name}</span>
          {name === me.value?.user && <span class="muted"> (you)</span>}
        </>
      ),
      sortBy: ({ name }) => name.toLowerCase(),
    },
    { title: "Role", cell: ({ role }) => role, sortBy: ({ role }) => role, isExtra: true },
    { title: "Plan", cell: ({ plan }) => plan, sortBy: ({ plan }) => plan },
    {
      title: "Live tokens",
      cell: ({ liveTokens }) => formatNumber(liveTokens, 0),
      sortBy: ({ liveTokens }) => liveTokens,
      isNumber: true,
      isExtra: true,
    },
    {
      title: "Calls this hour",
      cell: ({ callsThisHour }) => formatNumber(callsThisHour, 0),
      sortBy: ({ callsThisHour }) => callsThisHour,
      isNumber: true,
      isExtra: true,
    },
    {
      title: "Calls today",
      cell: ({ callsToday }) => formatNumber(callsToday, 0),
      sortBy: ({ callsToday }) => callsToday,
      isNumber: true,
      isExtra: true,
    },
    {
      title: "Password",
      cell: ({ hasPassword }) => (hasPassword ? "set" : "none"),
      isExtra: true,
    },
    {
      title: "Added",
      cell: ({ createdAt }) => <Ago at={createdAt} />,
      sortBy: ({ createdAt }) => createdAt,
      isExtra: true,
    },
    {
      title: "Action",
      cell: (user) => <Actions user={user} plans={plans} onChanged={onChanged} />,
      isNumber: true,
    },
  ];
}

interface ActionProps {
  readonly user: User;
  readonly plans: readonly string[];
  readonly onChanged: () => void;
}

function Actions({ user, plans, onChanged }: ActionProps) {
  const { name } = user;
  const remove = async () => {
    await request("DELETE users/:name", { param: name });
    onChanged();
  };
  return (
    <span class="row-actions">
      <DialogButton text="Sign-in link" title={`Sign-in link for ${name}`}>
        {() => <Link user={name} />}
      </DialogButton>
      <DialogButton text="Change" title={`Change ${name}`}>
        {(close) => <ChangeUser user={user} plans={plans} onChanged={onChanged} onDone={close} />}
      </DialogButton>
      <ConfirmButton text="Remove" question={`Remove ${name}?`} action={remove}>
        All tokens of {name} are revoked and all sessions end. The user cannot be restored.
      </ConfirmButton>
    </span>
  );
}

/** Makes a link when the user asks for it, because each link signs in. */
function Link({ user }: { readonly user: string }) {
  const { isBusy, error, run } = useAction();
  const [link, setLink] = useState<AnswerTo<"POST users/:name/link"> | null>(null);
  const make = () =>
    run(async () => setLink(await request("POST users/:name/link", { param: user })));
  return (
    <>
      <p>A link signs this user in once, within 15 minutes. Send it over a private channel.</p>
      {error !== null && <Failure message={error} />}
      {link === null ? (
        <div class="buttons">
          <button type="button" class="primary" disabled={isBusy} onClick={() => void make()}>
            Make a link
          </button>
        </div>
      ) : (
        <>
          <CodeBlock text={link.url} />
          <p class="muted">It is valid until {formatInstant(link.expiresAt)}.</p>
        </>
      )}
    </>
  );
}

function ChangeUser(props: ActionProps & { readonly onDone: () => void }) {
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
        A plan applies from the next call on. An admin can do everything in this console.
      </p>
      {error !== null && <Failure message={error} />}
      <div class="buttons">
        <button type="button" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isBusy}>
          Save
        </button>
      </div>
    </form>
  );
}
