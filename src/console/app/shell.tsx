import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { OutageBanner } from "./parts/outage-banner.tsx";
import { PageTitle } from "./parts/page-title.tsx";
import { Failure } from "./parts/panel.tsx";
import { SymbolSearch } from "./parts/symbol-search.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { outage, retryNow } from "./api.ts";
import { place } from "./router.ts";
import { me, service, signOut } from "./session.ts";

/** A page, with the groups of its pattern as `params`. */
export type Page = ComponentType<{ readonly params: Readonly<Record<string, string>> }>;

/** A page and its audience: all, signed-in users, or admins. */
interface PageRoute {
  readonly pattern: RegExp;
  /** In the main menu, with this text. */
  readonly menu?: string;
  readonly for: "all" | "user" | "admin";
  readonly load: () => Promise<{ default: Page }>;
}

/** Every page. Their code is loaded when they are opened. */
const ROUTES: readonly PageRoute[] = [
  {
    pattern: /^\/console$/,
    menu: "Markets",
    for: "user",
    load: () => import("./pages/markets.tsx"),
  },
  {
    pattern: /^\/console\/(?<country>US|JP|VN)\/(?<symbol>[^/]+)$/,
    for: "user",
    load: () => import("./pages/symbol.tsx"),
  },
  {
    pattern: /^\/console\/screen$/,
    menu: "Screen",
    for: "user",
    load: () => import("./pages/screen.tsx"),
  },
  {
    pattern: /^\/console\/compare$/,
    menu: "Compare",
    for: "user",
    load: () => import("./pages/compare.tsx"),
  },
  {
    pattern: /^\/console\/sectors$/,
    menu: "Sectors",
    for: "user",
    load: () => import("./pages/sectors.tsx"),
  },
  {
    pattern: /^\/console\/economy$/,
    menu: "Economy",
    for: "user",
    load: () => import("./pages/economy.tsx"),
  },
  {
    pattern: /^\/console\/tokens$/,
    menu: "Tokens",
    for: "user",
    load: () => import("./pages/tokens.tsx"),
  },
  {
    pattern: /^\/console\/programs$/,
    menu: "Connect",
    for: "user",
    load: () => import("./pages/programs.tsx"),
  },
  {
    pattern: /^\/console\/api-reference$/,
    menu: "API",
    for: "all",
    load: () => import("./pages/api-reference.tsx"),
  },
  {
    pattern: /^\/console\/admin$/,
    menu: "Admin",
    for: "admin",
    load: () => import("./pages/admin.tsx"),
  },
  { pattern: /^\/console\/account$/, for: "user", load: () => import("./pages/account.tsx") },
  { pattern: /^\/console\/connect$/, for: "user", load: () => import("./pages/connect.tsx") },
  { pattern: /^\/console\/about$/, for: "all", load: () => import("./pages/about.tsx") },
];

/** The path of a page whose pattern has no groups. */
function pathOf({ pattern }: PageRoute): string {
  return pattern.source.replaceAll(/[\\^$]/g, "");
}

function mayOpen(route: PageRoute): boolean {
  if (route.for === "all") return true;
  return route.for === "admin" ? me.value?.role === "admin" : me.value !== null;
}

/** The console: head, page and foot. @param started the session's start, which shows nothing until it ends */
export function App({ started }: { readonly started: Promise<void> }) {
  const [state, setState] = useState<"starting" | "ready" | Error>("starting");
  useEffect(() => {
    started.then(
      () => setState("ready"),
      (error) => setState(error instanceof Error ? error : new Error(String(error))),
    );
  }, [started]);
  if (state === "starting") return null;
  if (state instanceof Error) {
    return <Failure message={state.message} retry={() => window.location.reload()} />;
  }
  return (
    <>
      <Head />
      <OutageBanner />
      {service.value?.market === "sample" && (
        <aside class="sample" aria-label="Sample market">
          Sample market: no figure is real. <a href="/console/about#live">Go live</a>
        </aside>
      )}
      <main id="content" tabIndex={-1}>
        <CurrentPage />
      </main>
      <Foot />
    </>
  );
}

function Head() {
  const { path } = place.value;
  const menu = ROUTES.filter((route) => route.menu && mayOpen(route));
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen the menu scrolls: the current page is in view.
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>("[aria-current]");
    if (!nav.current || !current) return;
    const { left, width } = current.getBoundingClientRect();
    const frame = nav.current.getBoundingClientRect();
    nav.current.scrollLeft += left + width / 2 - frame.left - frame.width / 2;
  }, [path, me.value]);
  return (
    <header class="head">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <a class="brand" href="/console">
        bourse
      </a>
      <nav ref={nav} aria-label="Pages">
        {menu.map((route) => (
          <a
            key={route.menu}
            href={pathOf(route)}
            aria-current={route.pattern.test(path) ? "page" : undefined}
          >
            {route.menu}
          </a>
        ))}
      </nav>
      {me.value ? (
        <>
          <SymbolSearch />
          <a class="user" href="/console/account">
            {me.value.user}
          </a>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </>
      ) : null}
    </header>
  );
}

function Foot() {
  return (
    <footer class="foot">
      <span>bourse {service.value?.version}</span>
      <a href="/docs">Documentation</a>
      <a href="/console/about">About, sources and licences</a>
      <span>
        Charts: TradingView Lightweight Charts™, © 2025 TradingView, Inc.{" "}
        <a href="https://www.tradingview.com/" rel="noreferrer">
          tradingview.com
        </a>
      </span>
    </footer>
  );
}

/** The page of the current place, or why it cannot be shown. */
function CurrentPage() {
  const { path } = place.value;
  const route = ROUTES.find(({ pattern }) => pattern.test(path));
  if (!route) {
    return (
      <Refusal
        title="Unknown page"
        message="This page does not exist. Choose one in the menu, or search for a company with the key /."
      />
    );
  }
  if (!mayOpen(route)) {
    return me.value ? (
      <Refusal title="Admins only" message="Only admins can open this page." />
    ) : (
      <SignInPage />
    );
  }
  const params = Object.entries(route.pattern.exec(path)?.groups ?? {});
  const decoded = Object.fromEntries(params.map(([name, value]) => [name, decode(value)]));
  return <LazyPage key={route.pattern.source} route={route} params={decoded} />;
}

function Refusal({ title, message }: { readonly title: string; readonly message: string }) {
  return (
    <>
      <PageTitle title={title} />
      <Failure message={message} />
    </>
  );
}

/** The text of a part of a path; as it is if it cannot be decoded. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function LazyPage(props: { readonly route: PageRoute; readonly params: Record<string, string> }) {
  const { route, params } = props;
  const [page, setPage] = useState<{ readonly Page: Page } | Error | null>(null);
  // A page whose code could not be loaded is loaded when the service answers again.
  const isLost = outage.value !== null;
  useEffect(() => {
    route.load().then(
      (loaded) => setPage({ Page: loaded.default }),
      () => {
        setPage(new Error("The page could not be loaded. Check that the service is running."));
        // Whether the service answers decides whether this is tried again.
        void retryNow();
      },
    );
  }, [route, isLost]);
  const { anchor } = place.value;
  useEffect(() => {
    if (page !== null && anchor !== "") document.getElementById(anchor)?.scrollIntoView();
  }, [page, anchor]);
  if (page === null) return null;
  if (page instanceof Error) {
    return <Failure message={page.message} retry={() => window.location.reload()} />;
  }
  return <page.Page params={params} />;
}
