import type { Channel } from "#domain/alert.ts";
import type {
  AlertMessage,
  AlertWithState,
  MessagesPage,
  OwnAlerts,
  ShownChannel,
} from "#domain/user-alerts.ts";
import type { Alert } from "#domain/alert.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { listAlertStates, listDeliveries, listMessages } from "#store/alerts.ts";
import type { AccessStore } from "#store/index.ts";
import { listDocumentValues } from "#store/user-documents.ts";
import type { Work } from "#store/work.ts";

/** The alerts of one user. */
export class UserAlerts implements OwnAlerts {
  readonly #access: AccessStore;
  readonly #user: string;

  constructor(access: AccessStore, user: string) {
    this.#access = access;
    this.#user = user;
  }

  list(): Awaitable<readonly AlertWithState[]> {
    return this.#access.run(this.#list());
  }

  *#list(): Work<AlertWithState[]> {
    const rows = yield* listDocumentValues(this.#user, "alert");
    const states = Map.groupBy(yield* listAlertStates(this.#user), ({ alert }) => alert);
    return rows.map(({ json }) => {
      const alert = JSON.parse(json) as Alert;
      const known = { true: 0, false: 0, unknown: 0 };
      let done = 0;
      let trueSince = null;
      for (const { json, changedAt } of states.get(alert.name) ?? []) {
        const { is, fired } = JSON.parse(json) as KnownState;
        if (is === true && !alert.watch?.startsWith("list:")) trueSince = changedAt;
        known[is === true ? "true" : is === false ? "false" : "unknown"]++;
        if (fired && alert.repeat === "once") done++;
      }
      return { ...alert, states: known, trueSince, done };
    });
  }

  channels(): Awaitable<readonly ShownChannel[]> {
    return this.#access.run(this.#channels());
  }

  *#channels(): Work<ShownChannel[]> {
    const rows = yield* listDocumentValues(this.#user, "channel");
    return rows.map(({ json }) => showChannel(JSON.parse(json) as Channel));
  }

  messages(page: MessagesPage): Awaitable<readonly AlertMessage[]> {
    return this.#access.run(this.#messages(page));
  }

  /** When the newest message was made, UTC milliseconds; null without one. */
  newestAt(): Awaitable<number | null> {
    return this.#access.run(this.#newestAt());
  }

  *#newestAt(): Work<number | null> {
    const [newest] = yield* listMessages(this.#user, { limit: 1 });
    return newest?.at ?? null;
  }

  *#messages(page: MessagesPage): Work<AlertMessage[]> {
    const rows = yield* listMessages(this.#user, page);
    const [newest] = rows;
    const oldest = rows.at(-1);
    if (!newest || !oldest) return [];
    const span = { from: oldest.at, to: newest.at };
    const deliveries = Map.groupBy(
      yield* listDeliveries(this.#user, span),
      ({ message }) => message,
    );
    return rows.map(({ facts, ...row }) => ({
      ...row,
      facts: JSON.parse(facts) as unknown,
      deliveries: (deliveries.get(row.id) ?? []).map(({ channel, state, error }) => ({
        channel,
        state,
        error,
      })),
    }));
  }
}

/** A channel as answers show it. */
export function showChannel({ name, kind, url, address = "", stopped }: Channel): ShownChannel {
  const where = url === undefined ? address : new URL(url).host;
  return { name, kind, where, ...(stopped !== undefined && { stopped }) };
}

/** What is read of the JSON of a state. */
interface KnownState {
  readonly is?: boolean | null;
  readonly fired?: true;
}
