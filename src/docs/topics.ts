/** A page of the documentation: a Markdown file of the repository. */
export interface Topic {
  /** In addresses and commands: `/docs/operating`, `bourse help operating`. */
  readonly name: string;
  /** In lists of topics. */
  readonly title: string;
  /** A sentence without its end. */
  readonly summary: string;
  readonly group: (typeof GROUPS)[number];
  /** The path of the file in the repository, from which its links start. */
  readonly file: string;
  /** Reads the file, which an executable contains. */
  readonly load: () => Promise<{ readonly default: string }>;
}

/** The parts of the list of topics, in order. */
export const GROUPS = ["Begin", "Use", "Operate", "Look up"] as const;

/** Every topic, in the order of the list. */
export const TOPICS: readonly Topic[] = [
  {
    name: "start",
    title: "First steps",
    summary: "What it is, for whom, and the first five minutes",
    group: "Begin",
    file: "README.md",
    load: () => import("../../README.md", { with: { type: "text" } }),
  },
  {
    name: "programs",
    title: "Connect a program",
    summary: "Lines to copy for Excel, Claude, ChatGPT and other programs",
    group: "Begin",
    file: "src/feeds/recipes/README.md",
    load: () => import("#feeds/recipes/README.md", { with: { type: "text" } }),
  },
  {
    name: "examples",
    title: "Agents, code and spreadsheets",
    summary: "All operations, questions of agents, tables in code and spreadsheets",
    group: "Use",
    file: "src/operations/README.md",
    load: () => import("#operations/README.md", { with: { type: "text" } }),
  },
  {
    name: "alerts",
    title: "Alerts",
    summary: "Messages to ntfy, Home Assistant, Discord, Slack, n8n, mail and news readers",
    group: "Use",
    file: "src/alerts/README.md",
    load: () => import("#alerts/README.md", { with: { type: "text" } }),
  },
  {
    name: "rest-and-mcp",
    title: "REST and MCP",
    summary: "Errors, headers, files and the rules of MCP",
    group: "Use",
    file: "src/http/README.md",
    load: () => import("#http/README.md", { with: { type: "text" } }),
  },
  {
    name: "clients",
    title: "Clients in code",
    summary: "Clients for Python, R and TypeScript, and modules of GnuCash and beancount",
    group: "Use",
    file: "src/clients/README.md",
    load: () => import("#clients/README.md", { with: { type: "text" } }),
  },
  {
    name: "typescript",
    title: "TypeScript client",
    summary: "The client for TypeScript and JavaScript",
    group: "Use",
    file: "src/clients/typescript/README.md",
    load: () => import("#clients/typescript/README.md", { with: { type: "text" } }),
  },
  {
    name: "feeds",
    title: "Feeds",
    summary: "Interfaces that other programs already read, and feed links",
    group: "Use",
    file: "src/feeds/README.md",
    load: () => import("#feeds/README.md", { with: { type: "text" } }),
  },
  {
    name: "own-data",
    title: "Import your data",
    summary: "Import bars, statements and lists from your own files",
    group: "Use",
    file: "src/imports/README.md",
    load: () => import("#imports/README.md", { with: { type: "text" } }),
  },
  {
    name: "exported-files",
    title: "Exports",
    summary: "The market as Parquet, CSV and the forms of other programs",
    group: "Use",
    file: "src/exports/README.md",
    load: () => import("#exports/README.md", { with: { type: "text" } }),
  },
  {
    name: "operating",
    title: "Operating bourse",
    summary: "All commands and settings, sign-in, services, proxies, upgrades and backups",
    group: "Operate",
    file: "src/cli/README.md",
    load: () => import("#cli/README.md", { with: { type: "text" } }),
  },
  {
    name: "users",
    title: "Users, tokens and quotas",
    summary: "Plans, how calls are counted, rights, lists and the audit log",
    group: "Operate",
    file: "src/access/README.md",
    load: () => import("#access/README.md", { with: { type: "text" } }),
  },
  {
    name: "monitoring",
    title: "Monitoring",
    summary: "Health checks, metrics, alerts, logs, scheduled exports and sizes",
    group: "Operate",
    file: "src/service/README.md",
    load: () => import("#service/README.md", { with: { type: "text" } }),
  },
  {
    name: "several-machines",
    title: "Several machines",
    summary: "One service of several nodes on Postgres, and what happens when one fails",
    group: "Operate",
    file: "src/store/README.md",
    load: () => import("#store/README.md", { with: { type: "text" } }),
  },
  {
    name: "maintenance",
    title: "Restore, upgrade, import, move",
    summary: "Commands to upgrade, restore, import and move, and what a release has",
    group: "Operate",
    file: "src/deploy/README.md",
    load: () => import("#deploy/README.md", { with: { type: "text" } }),
  },
  {
    name: "security",
    title: "Security",
    summary: "How to report a vulnerability, which versions get fixes and what is signed",
    group: "Operate",
    file: "src/deploy/SECURITY.md",
    load: () => import("#deploy/SECURITY.md", { with: { type: "text" } }),
  },
  {
    name: "changes",
    title: "Changes",
    summary: "What is new in each version",
    group: "Operate",
    file: "src/deploy/CHANGELOG.md",
    load: () => import("#deploy/CHANGELOG.md", { with: { type: "text" } }),
  },
  {
    name: "metrics",
    title: "Metrics",
    summary: "Every figure of a company with its unit, period and label, and what proves one wrong",
    group: "Look up",
    file: "src/analytics/README.md",
    load: () => import("#analytics/README.md", { with: { type: "text" } }),
  },
  {
    name: "live-sources",
    title: "Live sources",
    summary: "The live sources, what each provides, its terms and its limits",
    group: "Look up",
    file: "src/sources/README.md",
    load: () => import("#sources/README.md", { with: { type: "text" } }),
  },
];

/** The topic with that name. */
export const findTopic = (name: string): Topic | undefined =>
  TOPICS.find((topic) => topic.name === name);
