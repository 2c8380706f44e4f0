import { useConsole } from "#console/app/api.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { commandLine, service } from "#console/app/session.ts";
import { asIs, t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

/** About: version, market, sources with their terms, and licences. */
export default function AboutPage() {
  return (
    <>
      <PageTitle title={t("About")} />
      <div class="columns">
        <ProgramPanel />
        <MarketPanel />
      </div>
      <SourcesPanel />
      <LicencesPanel />
    </>
  );
}

function ProgramPanel() {
  return (
    <Panel title={asIs("bourse")}>
      <p>
        {t(
          "Markets data for the United States, Japan and Viet Nam that you run yourself: REST for your code, MCP for your agents.",
        )}
      </p>
      <dl class="figures-left">
        <dt>{t("Version")}</dt>
        <dd>{service.value?.version}</dd>
        <dt>{t("Licence")}</dt>
        <dd>MIT</dd>
        <dt>{t("Market")}</dt>
        <dd>{t(service.value?.market === "live" ? "live: real figures" : "sample")}</dd>
      </dl>
      <p>
        <a href="/docs">{t("Documentation")}</a>, {t("in a terminal")}{" "}
        <code>{commandLine("help")}</code>
      </p>
      <p class="muted">
        {t(
          "No figure is advice to buy or sell. Check a figure at its source before you rely on it.",
        )}
      </p>
    </Panel>
  );
}

const LIVE_SETTINGS =
  "export BOURSE_DATA=./live-data BOURSE_MARKET=live BOURSE_CONTACT=you@example.com";

function MarketPanel() {
  const isLive = service.value?.market === "live";
  return (
    <section class="panel" id="live" aria-label={t("Sample and live market")}>
      <h2>{t(isLive ? "The live market" : "The sample market, and how to go live")}</h2>
      {isLive ? (
        <p>
          {t(
            "This service fetches figures from the public sources below, on a schedule and when a call needs them. Each answer names its sources and their age.",
          )}
        </p>
      ) : (
        <>
          <p>
            {t(
              "Names and tickers of the sample are real, but every figure is generated. It needs no network and no key. Each answer names its source:",
            )}{" "}
            <code>sample</code>
          </p>
          <p>{t("For real figures, stop the service and run this where it is installed:")}</p>
          <CodeBlock
            text={[LIVE_SETTINGS, commandLine("sources check"), commandLine("serve")].join("\n")}
          />
          <ul class="steps">
            <li>
              <code>BOURSE_CONTACT</code>: {t("your email address. The SEC requires it.")}
            </li>
            <li>
              <code>{commandLine("sources check")}</code>:{" "}
              {t("shows which sources answer on your network.")}
            </li>
            <li>
              {t(
                "Live data needs its own folder. Users and tokens are in that folder too, so make new ones there.",
              )}
            </li>
          </ul>
        </>
      )}
    </section>
  );
}

const SOURCE_COLUMNS: readonly Column<AnswerTo<"GET terms">[number]>[] = [
  {
    title: "Source",
    cell: ({ source }) => <b lang="en">{source}</b>,
    sortBy: ({ source }) => source,
  },
  {
    title: "Official",
    cell: ({ official }) => t(official ? "yes" : "no"),
    sortBy: ({ official }) => Number(official),
  },
  { title: "What it provides", cell: ({ fills }) => <span lang="en">{fills}</span>, isExtra: true },
  { title: "Terms", cell: ({ terms }) => <span lang="en">{terms}</span> },
  {
    title: "May be passed on",
    cell: ({ redistributable }) => t(redistributable ? "yes" : "no"),
    sortBy: ({ redistributable }) => Number(redistributable),
    isExtra: true,
  },
];

function SourcesPanel() {
  const sources = useConsole("GET terms");
  return (
    <Panel title="Sources and their terms">
      <p>
        {t(
          service.value?.market === "live"
            ? "You are responsible for keeping the terms of each source that you use."
            : "A live market uses these sources. Then you are responsible for keeping the terms of each.",
        )}{" "}
        {t(
          "An unofficial source offers no licence and may stop working at any time. Exported files with records of a source that may not be passed on are for your own use.",
        )}
      </p>
      <Loaded of={sources} lines={18}>
        {(list) => (
          <DataTable
            label="All sources"
            columns={SOURCE_COLUMNS}
            rows={list}
            keyOf={({ source }) => source}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function LicencesPanel() {
  return (
    <Panel title={t("Licences")}>
      {/* Its licence asks for this text on a page. */}
      <p>
        TradingView Lightweight Charts™
        <br />
        Copyright (c) 2025 TradingView, Inc.{" "}
        <a href="https://www.tradingview.com/" rel="noreferrer">
          https://www.tradingview.com/
        </a>
      </p>
      <p>
        <a href="/console/licences.txt" target="_blank">
          {t("All parts of the program and their licences")}
        </a>
      </p>
    </Panel>
  );
}
