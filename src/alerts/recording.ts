import type { Alert, MessageKind } from "#domain/alert.ts";
import { DAY_MS } from "#lib/date.ts";
import type { AlertFacts } from "#operations/alerts/message.ts";
import {
  type AlertStateKey,
  countMessages,
  createMessageId,
  findAlertState,
  findPause,
  holdsTerm,
  listRuleOwners,
  putAlertState,
  putFirstStates,
  putMessage,
  type RuleOwner,
} from "#store/alerts.ts";
import { addAuditEntry } from "#store/audit.ts";
import { findDocument, putDocument } from "#store/user-documents.ts";
import type { LeaderTerm } from "#store/leadership.ts";
import type { Work } from "#store/work.ts";
import { MESSAGES_OF_RULE } from "./limits.ts";

/** What judging a rule has changed. */
export interface Judgement extends AlertStateKey {
  /** The user, with the fingerprint of the documents that the rule was read from. */
  readonly owner: RuleOwner;
  /** The state as JSON, before and after; null before the first judgement. */
  readonly before: string | null;
  readonly json: string;
  /** What the user is told; null if nothing. */
  readonly message: AlertFacts | null;
  /** The names of the channels. */
  readonly to: readonly string[];
}

/** How judgements are recorded. */
export interface Recording {
  /** UTC milliseconds. */
  readonly now: number;
  /** The term of the node that judged, null without one; left out on one machine. */
  readonly term?: LeaderTerm | null;
}

/** A node that judges without leading has a market that may be old. */
export class TermLost extends Error {}

/**
 * Stores states with their messages, if the states and the documents of the user are as they were when the rules were judged.
 * Run it as one transaction: a process that ends in between has stored nothing, so each message is stored once. Returns the
 * judgements that it refused.
 *
 * @throws TermLost if another node leads
 */
export function* record(
  judgements: readonly Judgement[],
  { now, term }: Recording,
): Work<Judgement[]> {
  if (term === null || (term && !(yield* holdsTerm(term)))) throw new TermLost();
  const current = yield* findCurrent(judgements);
  const refused = judgements.filter(({ owner }) => !current.has(owner.userId));
  const judged = judgements.filter(({ owner }) => current.has(owner.userId));
  const first = judged.filter(({ before, message }) => before === null && message === null);
  yield* putFirstStates(first, now);
  for (const one of judged) {
    if (one.before === null && one.message === null) continue;
    if ((yield* findAlertState(one)) !== one.before) refused.push(one);
    else {
      yield* putAlertState(one, now);
      if (one.message) yield* tell(one, one.message, now);
    }
  }
  return refused;
}

/** The users whose documents are as they were. */
function* findCurrent(judgements: readonly Judgement[]): Work<ReadonlySet<number>> {
  const owners = new Map(judgements.map(({ owner }) => [owner.userId, owner]));
  const current = new Set<number>();
  for (const { userId, fingerprint } of owners.values()) {
    const [now] = yield* listRuleOwners(userId);
    if (now?.fingerprint === fingerprint) current.add(userId);
  }
  return current;
}

/** Stores a message, or pauses the rule if it has told too much. */
function* tell(
  { userId, owner, alert, to }: Judgement,
  facts: AlertFacts,
  now: number,
): Work<void> {
  // A thesis has no rule to pause. It is silent until fewer messages are of the last day.
  const row =
    facts.kind === "thesis"
      ? null
      : yield* findDocument(owner.user, { kind: "alert", name: alert });
  const rule = row && (JSON.parse(row.json) as Alert);
  // A message before this one was one too many.
  if (rule?.paused) return;
  const put = (message: AlertFacts) =>
    putMessage(
      userId,
      {
        id: createMessageId(),
        alert,
        kind: message.kind satisfies MessageKind,
        at: now,
        facts: JSON.stringify(message),
      },
      to,
    );
  const day = now - DAY_MS;
  // A rule that its user resumed begins as a new one.
  const pausedAt = rule && (yield* findPause(userId, alert, { from: day, to: now }));
  const told = yield* countMessages(userId, alert, pausedAt === null ? day : pausedAt + 1);
  if (told < MESSAGES_OF_RULE) return yield* put(facts);
  if (told === MESSAGES_OF_RULE) yield* put({ kind: "paused", title: facts.title, fired: told });
  if (row && rule) yield* pause(owner, { ...rule, paused: true }, Math.max(now, row.changedAt + 1));
}

function* pause({ userId, user }: RuleOwner, alert: Alert, changedAt: number): Work<void> {
  const { name } = alert;
  const json = JSON.stringify(alert);
  yield* putDocument(userId, { kind: "alert", name, items: 0, changedAt, json });
  yield* addAuditEntry({
    at: changedAt,
    // No user can have the name, because of the space.
    actor: "alert limit",
    action: "alert saved",
    subject: `alert ${name} of ${user}, paused`,
    address: null,
  });
}
