import { timeNow } from "#console/app/clock.ts";
import { request, type Resource, useConsole } from "#console/app/api.ts";
import {
  formatAgo,
  formatBytes,
  formatDuration,
  formatInstant,
  formatNumber,
} from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { countryName } from "#console/app/parts/country.tsx";
import { usePoll } from "#console/app/parts/poll.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Meter } from "#console/app/parts/meter.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { Empty, Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { recordWords } from "#console/app/parts/record-words.ts";
import { Ago } from "#console/app/parts/time.tsx";
import { commandLine, service } from "#console/app/session.ts";
import { asIs, t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Status = AnswerTo<"GET status">;
type Nodes = NonNullable<NonNullable<Status["cluster"]>["nodes"]>;

const REFRESH_MS = 10_000;

/** The state of the service, its files, the backup and the background refresh; always current. */
export function ServicePanels() {
  const status = useConsole("GET status");
  usePoll(status, REFRESH_MS);
  return (
    <>
      <Panel title="Health of the service">
        <div class="health-frame">
          <Loaded of={status} lines={1}>
            {({ health, progress }) => <Health health={health} progress={progress} />}
          </Loaded>
        </div>
      </Panel>
      <div class="columns">
        <Panel title="Status">
          <div class="status-frame">
            <Loaded of={status} lines={4}>
              {(value) => (
                <>
                  <StatusFigures status={value} />
                  <UpdateAdvice updates={value.updates} />
                </>
              )}
            </Loaded>
          </div>
        </Panel>
        <Panel title="Files">
          <div class="files-frame">
            <Loaded of={status} lines={3}>
              {({ files }) => <FilesTable files={files} />}
            </Loaded>
          </div>
        </Panel>
        <BackupPanel status={status} />
      </div>
      {/* Below panels of unknown height, so they come after them. */}
      {status.value?.cluster && <NodesPanel nodes={status.value.cluster.nodes} />}
      {status.value && (
        <Panel title="Background refresh">
          <Progress progress={status.value.progress} />
        </Panel>
      )}
      {status.value && (
        <Panel title="Exports">
          <Exports files={status.value.exported} />
        </Panel>
      )}
    </>
  );
}

/** One green line, or the first thing that is wrong with its remedy, and below it the others. */
function Health({ health, progress }: Pick<Status, "health" | "progress">) {
  const [first, ...others] = [...health.reasons, ...health.warnings];
  if (first === undefined && progress.some(({ state }) => state === "refused"))
    return (
      <p>
        {t("The service is ready, but sources do not give all records. The part Sources says why.")}
      </p>
    );
  if (first === undefined) {
    return (
      <p>
        <span class="gain">✓</span>{" "}
        {t("All is well: the service is ready, and nothing needs attention.")}
      </p>
    );
  }
  return (
    <>
      <p>
        <b class="loss">
          {health.reasons.length > 0
            ? t("The service cannot do its work.")
            : t("This needs attention.")}
        </b>{" "}
        {first}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function StatusFigures({ status }: { readonly status: Status }) {
  const { version, updates, startedAt, memoryBytes, requestsPerSecond } = status;
  return (
    <Figures
      rows={[
        ["Version", version],
        ...(updates ? [["Newest version", <NewestVersion updates={updates} />] as const] : []),
        ["Market", translate(service.value?.market ?? "")],
        [
          "Up for",
          <span title={t("since {time}", { time: formatInstant(startedAt) })}>
            {formatDuration((timeNow() - startedAt) / 1000)}
          </span>,
        ],
        ["Memory", formatBytes(memoryBytes)],
        ["Requests a second, last minute", formatNumber(requestsPerSecond, 1)],
      ]}
    />
  );
}

function NewestVersion({ updates }: { readonly updates: NonNullable<Status["updates"]> }) {
  const { newest, isNewer, askedAt, error } = updates;
  if (isNewer) return <b>{newest}</b>;
  if (error !== null) return t("Not known");
  if (askedAt === null) return t("Not asked yet");
  return (
    <>
      {newest}, {t("asked")} <Ago at={askedAt} />
    </>
  );
}

/** What to do about the newest version; nothing if all is well. */
function UpdateAdvice({ updates }: { readonly updates: Status["updates"] }) {
  if (updates?.isNewer) {
    return (
      <p class="muted">
        {t("On the machine of the service, this installs version {version}, or says how:", {
          version: updates.newest ?? "",
        })}{" "}
        <code>{commandLine("upgrade")}</code>
      </p>
    );
  }
  return updates?.error ? <Failure message={updates.error} /> : null;
}

type File = Status["files"][number];

const FILE_COLUMNS: readonly Column<File>[] = [
  { title: "File", cell: ({ name }) => <code>{name}</code>, sortBy: ({ name }) => name },
  {
    title: "Size",
    cell: ({ bytes }) => formatBytes(bytes),
    sortBy: ({ bytes }) => bytes,
    isNumber: true,
  },
  { title: "Schema", cell: ({ schema }) => schema, isNumber: true },
];

function FilesTable({ files }: { readonly files: Status["files"] }) {
  return (
    <DataTable
      label="Sizes and schemas of the files"
      columns={FILE_COLUMNS}
      rows={files}
      keyOf={({ name }) => name}
    />
  );
}

/** The files of the newest export on schedule. */
function Exports({ files }: { readonly files: Status["exported"] }) {
  if (files.length === 0) {
    return (
      <Empty>
        {t("No export was written on schedule. This setting writes one each day:")}{" "}
        <code>BOURSE_EXPORT_EVERY=24h</code>
      </Empty>
    );
  }
  return (
    <DataTable
      label="Files of the newest export"
      columns={EXPORT_COLUMNS}
      rows={files}
      keyOf={({ path }) => path}
    />
  );
}

const EXPORT_COLUMNS: readonly Column<Status["exported"][number]>[] = [
  { title: "File", cell: ({ path }) => <code>/files/{path}</code>, sortBy: ({ path }) => path },
  {
    title: "Size",
    cell: ({ bytes }) => formatBytes(bytes),
    sortBy: ({ bytes }) => bytes,
    isNumber: true,
  },
];

/** A node reports every second; after this time something is wrong with it. */
const LATE_MS = 5_000;

const NODE_COLUMNS: readonly Column<Nodes[number]>[] = [
  {
    title: "Node",
    cell: ({ host, url, isLeader, isGone, fault, differs }) => (
      <>
        <b>{host}</b>
        {isLeader && <span class="gain"> {t("leader")}</span>}
        {isGone && <span class="loss"> {t("gone")}</span>}
        {fault !== null && <span class="loss"> {fault}</span>}
        <div class="muted">{url}</div>
        {differs.length > 0 && (
          <div class="loss">
            {t("Other than on the leader: {settings}", { settings: differs.join(", ") })}
          </div>
        )}
      </>
    ),
    sortBy: ({ host, url }) => `${host} ${url}`,
  },
  { title: "Version", cell: ({ version }) => version, isExtra: true },
  {
    title: "Up for",
    cell: ({ upMs }) => formatDuration(upMs / 1000),
    sortBy: ({ upMs }) => upMs,
    isNumber: true,
    isExtra: true,
  },
  {
    title: "Seen",
    cell: ({ seenMs }) => (
      <span class={seenMs > LATE_MS ? "loss" : ""}>{formatAgo(timeNow() - seenMs)}</span>
    ),
    sortBy: ({ seenMs }) => seenMs,
    isNumber: true,
  },
  {
    title: "Changes behind",
    cell: ({ lag }) => formatNumber(lag, 0),
    sortBy: ({ lag }) => lag,
    isNumber: true,
  },
  {
    title: "Leases",
    cell: ({ leases }) => formatNumber(leases, 0),
    sortBy: ({ leases }) => leases,
    isNumber: true,
    isExtra: true,
  },
];

function NodesPanel({ nodes }: { readonly nodes: Nodes | null }) {
  return (
    <Panel title="Nodes">
      {nodes === null ? (
        <Failure
          message={t(
            "The cluster's database does not answer, so the nodes are unknown. This page tries again every 10 seconds.",
          )}
        />
      ) : (
        <DataTable
          label="Nodes of the cluster"
          columns={NODE_COLUMNS}
          rows={nodes}
          keyOf={({ id }) => id}
        />
      )}
      <p class="muted">
        {t(
          "The leader refreshes the market, and all nodes apply its changes. A lease is a token whose calls a node has counted in advance.",
        )}
      </p>
    </Panel>
  );
}

function BackupPanel({ status }: { readonly status: Resource<Status> }) {
  const { isBusy, error, run } = useAction();
  const backUp = async () => {
    await run(() => request("POST backup"));
    status.reload();
  };
  return (
    <Panel title="Backup">
      <Loaded of={status}>
        {({ cluster, lastBackup }) => (
          <>
            <p class="muted">
              {t(
                cluster
                  ? "Writes the users, tokens and counters of the whole cluster to an archive in the folder of backups of the node that answers. The market is left out; the cluster's database has it."
                  : "Writes access.db and the settings to an archive in the folder of backups, while the service runs. market.db is left out, because it can be built again, except for your imports.",
              )}
            </p>
            <LastBackup last={lastBackup} />
            {error !== null && <Failure message={error} />}
            <div>
              <button type="button" class="primary" disabled={isBusy} onClick={() => void backUp()}>
                {t(isBusy ? "Backing up…" : "Back up now")}
              </button>
            </div>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function LastBackup({ last }: { readonly last: Status["lastBackup"] }) {
  if (last === null) return <p>{t("No backup has been made yet.")}</p>;
  if (last.error !== null) {
    const text = t("The backup of {time} failed.", { time: formatInstant(last.at) });
    return <Failure message={`${text} ${last.error}`} />;
  }
  return (
    <p>
      <span class="gain">✓</span> {t("The last backup was made")} <Ago at={last.at} />
    </p>
  );
}

type Step = Status["progress"][number];

const PROGRESS_COLUMNS: readonly Column<Step>[] = [
  {
    title: "Records",
    cell: ({ kind }) => recordWords(kind),
    sortBy: ({ kind }) => recordWords(kind),
  },
  {
    title: "Country",
    cell: ({ country }) => countryName(country),
    sortBy: ({ country }) => countryName(country),
  },
  {
    title: "Companies up to date",
    cell: ({ kind, country, done, total }) => (
      <Meter
        name={asIs("")}
        label={`${recordWords(kind)}, ${countryName(country)}`}
        used={done}
        limit={total}
        isGood
      />
    ),
    sortBy: ({ done, total }) => done / Math.max(1, total),
  },
  {
    title: "Time left",
    cell: stateText,
    sortBy: ({ secondsLeft }) => secondsLeft,
    isNumber: true,
  },
];

/** How long a step still takes, or why it does not go on. */
function stateText({ state, done, total, secondsLeft }: Step): string {
  if (state === "refused") return t("Not given");
  if (state === "empty") return t("no figures");
  if (state === "waiting") return t("not begun");
  if (done >= total && state === "given") return t("done");
  if (secondsLeft !== null && secondsLeft > 0) return formatDuration(secondsLeft);
  if (state === "part") return t("in part");
  return t(state === "fetching" ? "unknown" : "due again");
}

function Progress({ progress }: { readonly progress: Status["progress"] }) {
  if (progress.length === 0) {
    return (
      <Empty>
        {t(
          service.value?.market === "sample"
            ? "The sample market is generated, so nothing is fetched."
            : "Nothing has been fetched yet. It begins a minute after the start.",
        )}
      </Empty>
    );
  }
  return (
    <DataTable
      label="Companies up to date"
      columns={PROGRESS_COLUMNS}
      rows={progress}
      keyOf={({ kind, country }) => `${kind} ${country}`}
    />
  );
}
