import { Accounts } from "#access/accounts.ts";
import { RefusedCalls } from "#access/refused-calls.ts";
import { TokenBriefMarks } from "#access/brief-marks.ts";
import { UserAlerts } from "#access/user-alerts.ts";
import { UserData } from "#access/user-data.ts";
import type { Config } from "#config.ts";
import { BoundedAnswers } from "#http/bounded-answers.ts";
import { CallLog } from "#http/call-log.ts";
import { type ApiVersion, V1 } from "#http/api-version.ts";
import type { MessagesOf } from "#http/feed-endpoint.ts";
import { createApp, type HttpApp } from "#http/app.ts";
import type { BrowserApp } from "#http/browser-app.ts";
import type { OwnChanges } from "#http/change-streams.ts";
import { type ClientAddress, createClientAddress, TrustedProxies } from "#http/client-address.ts";
import type { ConsoleParts, OtherSignIns } from "#http/console-endpoint.ts";
import type { Readiness } from "#http/health.ts";
import type { OAuthApp } from "#http/oauth-endpoints.ts";
import { ANSWER_MS } from "#http/time-limits.ts";
import { dateOf } from "#lib/date.ts";
import type { OutsideNetwork } from "#lib/outside-network.ts";
import { RESOURCE_PATH } from "#http/oauth-metadata.ts";
import { basePathOf, serveBelow } from "#http/service-address.ts";
import type { VisitSettings } from "#http/visit.ts";
import type { RequestObserver } from "#http/trace.ts";
import { isAdmin } from "#access/roles.ts";
import { ExportedFiles } from "#exports/exported-files.ts";
import { lazy } from "#lib/lazy.ts";
import type { Log } from "#lib/log.ts";
import { RateMeter } from "#lib/rate-meter.ts";
import { McpServer } from "#mcp/server.ts";
import type { DocumentsOf } from "#operations/caller.ts";
import { createExecutor, type Refresh } from "#operations/execute.ts";
import { checkItems } from "#operations/portfolio/list-items.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { AccessStore } from "#store/index.ts";
import { documentsVersion } from "#store/user-documents.ts";
import { createAccessLog } from "./access-log.ts";
import type { Backups } from "./backups.ts";
import type { ConnectionNetwork } from "./connection-network.ts";
import { ConnectionWatch } from "./connection-watch.ts";
import type { ServiceMetrics } from "./metrics.ts";
import { ReadinessCheck, type ReadinessParts } from "./readiness.ts";
import type { ServiceStores } from "./stores.ts";
import { VERSION } from "#domain/program.ts";

/** The page to which an OpenID provider sends browsers back. */
const PROVIDER_PAGE = "/console/provider";

/** They share a thread, so more of them would only make the turns of others longer. */
const COMPUTED_AT_ONCE = 2;

/** The parts of the service; the composition root opens and closes them. */
export interface ServiceParts extends Omit<ServiceStores, "close">, ReadinessParts {
  readonly config: Config;
  readonly log: Log;
  /** Fetches the records that a request needs from live sources; absent without live sources. */
  readonly onRequest?: Refresh | undefined;
  /** Roll-ups of the same market; if absent, answers wait until they are computed. */
  readonly rollups?: CompanyRollups;
  /** Reads the metadata documents of OAuth clients; the real network if absent. */
  readonly documentNetwork?: OutsideNetwork | undefined;
  /** Calls the public address for its check; the real network if absent. */
  readonly connectionNetwork?: ConnectionNetwork | undefined;
  /** Writes lines of the access log, if it is on. */
  readonly writeLines?: (lines: string) => void;
  /** Milliseconds from any start, which never go back; the clock if absent. */
  readonly stopwatch?: (() => number) | undefined;
  /** Counts what the service does; absent without metrics. */
  readonly metrics?: ServiceMetrics | undefined;
  /** The backups of the data folder; if absent, this service writes none. */
  readonly backups?: Backups;
  /** How long an answer may take, in milliseconds; `ANSWER_MS` if absent. */
  readonly answerMs?: number | undefined;
  /** Ends the streams of the console before the service stops. */
  readonly stopping?: AbortSignal | undefined;
  /** How often a stream of the console shows that it is alive, in milliseconds; 10 seconds if absent. */
  readonly beatMs?: number | undefined;
  /** How many requests a user may send to the console in a minute; 600 if absent. */
  readonly perUser?: number | undefined;
  /** The refused calls, which the caller stores from time to time; if absent, they are stored when they are read. */
  readonly refused?: RefusedCalls | undefined;
  /** The versions of the interface to mount; v1 if absent. */
  readonly versions?: readonly ApiVersion[];
}

/** Creates the service: every part is created here and passed to the parts that need it. */
export function createService(parts: ServiceParts) {
  const { config, market, gate, clock, log, onRequest, metrics, versions = [V1] } = parts;
  const { answerMs = ANSWER_MS } = parts;
  const clientAddress = createClientAddress(config.trustedProxies, config.socket !== null);
  const guard = metrics?.watchGuard(parts.guard) ?? parts.guard;
  const documentsOf: DocumentsOf = ({ user }) =>
    new UserData({ access: parts.access, clock, user, actor: { name: user, address: null } });
  const executor = createExecutor({
    market,
    clock,
    refresh: onRequest,
    rollups: parts.rollups,
    documentsOf,
    alertsOf: (user) => new UserAlerts(parts.access, user),
    marksOf: (tokenId) => new TokenBriefMarks(parts.access, tokenId),
    deadlineMs: answerMs,
    computedAtOnce: COMPUTED_AT_ONCE,
  });
  metrics?.watchExecutor(executor);
  const calls = new CallLog(clock, parts.stopwatch ?? clock);
  const { refused = new RefusedCalls(parts) } = parts;
  const watch = new ConnectionWatch(clock);
  const messagesOf: MessagesOf = async (user, limit) => {
    const { listShownMessages } = await import("#alerts/shown-messages.ts");
    return parts.access.run(listShownMessages(user, limit, config.publicUrl));
  };
  const dependencies = {
    executor,
    bounded: new BoundedAnswers(executor, parts.stopwatch ?? clock, answerMs),
    documentsOf,
    messagesOf,
    guard,
    mcp: new McpServer({ executor, guard, clock, log, version: VERSION }),
    gate: gate && (metrics?.watchGate(gate) ?? gate),
    observer: createObserver(parts, clientAddress, { calls, refused, watch }),
    clientAddress,
    publicUrl: config.publicUrl,
    isDiscoverable: config.isDiscoverable,
    clock,
    log,
  };
  const oauth = createOAuth(parts);
  const requests = new RateMeter(clock);
  const check = new ReadinessCheck(parts);
  metrics?.watchReadiness(check);
  const readiness = () => check.check();
  const browser = createBrowser(parts, requests, readiness, {
    ...dependencies,
    oauth: oauth?.server ?? null,
    answerMs,
    calls,
    refused,
    watch,
  });
  const exported = new ExportedFiles(config.exports.folder);
  const files = {
    list: () => exported.list(),
    isAdmin: (user: string) => isAdmin(parts.access, user),
  };
  const app = serveBelow(
    createApp({ ...dependencies, browser, oauth, readiness, files }, versions),
    basePathOf(config.publicUrl),
  );
  const counted: HttpApp = (request, server) => {
    requests.count();
    return app(request, server);
  };
  return counted;
}

/** The log of calls, the refused ones, the watch for clients that connect, the metrics and the access log as one; the last two can be off. */
function createObserver(
  { config, metrics, writeLines, clock, stopwatch = clock }: ServiceParts,
  clientAddress: ClientAddress,
  {
    calls,
    refused,
    watch,
  }: {
    readonly calls: CallLog;
    readonly refused: RefusedCalls;
    readonly watch: ConnectionWatch;
  },
): RequestObserver {
  const log =
    config.accessLog && writeLines
      ? createAccessLog({ write: writeLines, clock, stopwatch, clientAddress })
      : undefined;
  return {
    stopwatch,
    finished(trace, status, ms, request, server) {
      calls.finished(trace, status, ms);
      const { tokenId, refusal: error, via, operation } = trace;
      if (error && tokenId !== null) refused.note({ tokenId, via, operation, error });
      watch.finished(trace, status, request);
      metrics?.finished(trace, status, ms);
      log?.finished(trace, status, ms, request, server);
    },
  };
}

/** OAuth, or null without an https URL. Its modules are loaded by the first request. */
function createOAuth({ config, access, clock, log, documentNetwork }: ServiceParts) {
  const { publicUrl, plans } = config;
  if (!publicUrl?.startsWith("https:")) return null;
  const load = lazy(async () => {
    const [{ OAuth }, { DocumentReader }] = await Promise.all([
      import("#access/oauth.ts"),
      import("#http/oauth-document.ts"),
    ]);
    const documents = new DocumentReader({ clock, network: documentNetwork });
    const oauth = new OAuth({
      access,
      plans,
      clock,
      issuer: publicUrl,
      resource: publicUrl + RESOURCE_PATH,
      readDocument: (url) => documents.read(url),
      log,
    });
    return { oauth, documents };
  });
  const loadApp = lazy(async () => {
    const { createOAuthApp } = await import("#http/oauth-endpoints.ts");
    const proxies = new TrustedProxies(config.trustedProxies, config.socket !== null);
    return createOAuthApp({ ...(await load()), publicUrl, proxies, clock, log });
  });
  const answer: OAuthApp = async (...visit) => (await loadApp())(...visit);
  return { publicUrl, server: async () => (await load()).oauth, answer };
}

function createVisitSettings(config: Config): VisitSettings {
  const { host, publicUrl, insecureSignIn, trustedProxies, socket, signIn } = config;
  return {
    host,
    publicUrl,
    insecureSignIn,
    proxies: new TrustedProxies(trustedProxies, socket !== null),
    signInProxy: signIn.proxy && {
      header: signIn.proxy.header,
      proxies: new TrustedProxies(signIn.proxy.proxies, signIn.proxy.trustsSocket),
    },
  };
}

/** The OpenID provider, or null if none is set. Its module is loaded by the first sign-in. */
function createProvider({ config, clock, log }: ServiceParts): OtherSignIns["provider"] {
  const { provider: settings } = config.signIn;
  if (!settings) return null;
  const redirectUri = `${config.publicUrl}${PROVIDER_PAGE}`;
  const load = lazy(async () => {
    const { Provider } = await import("#http/provider.ts");
    return new Provider({ settings, redirectUri, clock, log });
  });
  return { issuer: settings.issuer, load };
}

/** What changed last of a user's own data. */
async function findOwnChanges(access: AccessStore, user: string): Promise<OwnChanges> {
  const message = await new UserAlerts(access, user).newestAt();
  return { message, documents: await access.run(documentsVersion(user)) };
}

/** The console. Its modules are loaded by the first request, because the start does not need them. */
function createBrowser(
  parts: ServiceParts,
  requests: RateMeter,
  readiness: () => Readiness,
  {
    watch,
    ...shared
  }: Pick<ConsoleParts, "bounded" | "gate" | "oauth" | "answerMs" | "calls" | "refused"> & {
    readonly watch: ConnectionWatch;
  },
): BrowserApp {
  const { config, access, clock, log, guard, backups = null } = parts;
  const { plans, market } = config;
  const startedAt = clock();
  const unused = (tokenId: number) => guard.unused(tokenId);
  const served = { ...parts, backups, requests, readiness, startedAt };
  const load = lazy(async () => {
    const [
      { createBrowserApp },
      { SignIn },
      { ChangeStreams },
      { createListFiles },
      { createConsoleAlerts },
      { createServiceReports },
      { createConnectionReports },
      { namesIn },
    ] = await Promise.all([
      import("#http/browser-app.ts"),
      import("#access/sign-in.ts"),
      import("#http/change-streams.ts"),
      import("./list-files.ts"),
      import("./console-alerts.ts"),
      import("./service-report.ts"),
      import("./connection-report.ts"),
      import("./local-names.ts"),
    ]);
    const signIn = new SignIn(access, clock, (reason) => parts.metrics?.signInRefused(reason));
    return createBrowserApp({
      ...shared,
      perUser: parts.perUser,
      reports: createServiceReports({
        ...served,
        connection: createConnectionReports({ ...parts, watch }),
      }),
      signIn,
      changes: new ChangeStreams({
        ...parts,
        signIn,
        findVersion: () => parts.market.findVersion(),
        ownChangesOf: (user) => findOwnChanges(access, user),
      }),
      accountsOf: (actor) => new Accounts({ access, plans, clock, actor, unused }),
      userDataOf: (user, actor) => new UserData({ access, clock, user, actor }),
      checkItems: (items) => checkItems(parts.market, items, dateOf(clock())),
      ...createListFiles(parts.market, clock),
      alerts: createConsoleAlerts(parts.market, config, clock, shared.answerMs),
      namesIn: (language) => namesIn(parts.market, language),
      settings: createVisitSettings(config),
      others: { ...config.signIn, provider: createProvider(parts) },
      market,
      isNode: parts.node !== null,
      version: VERSION,
      clock,
      log,
    });
  });
  return async (...visit) => (await load())(...visit);
}
