import { useEffect, useState } from "preact/hooks";
import { Head, SectionMenu } from "./head.tsx";
import type * as Part from "./parts/arrivals-panel.tsx";
import { OutageBanner } from "./parts/outage-banner.tsx";
import type * as Past from "./past-band.tsx";
import { pastDay } from "./past-day.ts";
import { PageTitle } from "./parts/page-title.tsx";
import { Updated } from "./parts/updated.tsx";
import { Failure } from "./parts/panel.tsx";
import { Toasts } from "./parts/toast.tsx";
import { outage, retryNow, useConsole } from "./api.ts";
import { addressDay, place } from "./router.ts";
import { mayOpen, type Page, type PageRoute, ROUTES } from "./routes.ts";
import { reader } from "./reader.ts";
import { t } from "./words.ts";
import { me, service } from "./session.ts";

/** What is known when the session has started. */
interface Ready {
  /** What a past day needs; null in the present. */
  readonly past: typeof Past | null;
}

/** The console: head, page and foot. @param started the session's start, which shows nothing until it ends */
export function App({ started }: { readonly started: Promise<void> }) {
  const [state, setState] = useState<"starting" | Ready | Error>("starting");
  useEffect(() => {
    const past = addressDay === null ? null : import("./past-band.tsx");
    Promise.all([past, started]).then(
      ([loaded]) => setState({ past: loaded }),
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
      {state.past && <state.past.PastBand />}
      <SectionMenu />
      <main id="content" tabIndex={-1}>
        <Updated />
        <Arrivals />
        <CurrentPage />
      </main>
      <Foot />
      <Toasts />
    </>
  );
}

/** What is still to come of a live market, above every page. */
function Arrivals() {
  const isLive = me.value !== null && service.value?.market === "live";
  const arrivals = useConsole(isLive ? "GET arrivals" : null);
  const [part, setPart] = useState<typeof Part | null>(null);
  const isShown = arrivals.value !== null;
  useEffect(() => {
    if (isShown) void import("./parts/arrivals-panel.tsx").then(setPart, () => {});
  }, [isShown]);
  return isShown && part && <part.ArrivalsPanel of={arrivals} />;
}

/** The units of large figures, which only Vietnamese readers have to be told. */
const UNIT_NAMES = "K: thousand, M: million, B: billion, T: trillion";

const routeNow = () => ROUTES.find(({ pattern }) => pattern.test(place.value.path));

function Foot() {
  const docs = routeNow()?.docs;
  return (
    <footer class="foot">
      <span>bourse {service.value?.version}</span>
      <a href="/docs">{t("Documentation")}</a>
      {docs && <a href={`/docs/${docs}`}>{t("Help with this page")}</a>}
      <a href="/console/about">{t("About, sources and licences")}</a>
      <span>
        {t("Charts")}: TradingView Lightweight Charts™, © 2025 TradingView, Inc.{" "}
        <a href="https://www.tradingview.com/" rel="noreferrer">
          tradingview.com
        </a>
      </span>
      {reader.value.language === "vi" && <span>{t(UNIT_NAMES)}</span>}
    </footer>
  );
}

/** The page of the current place, or why it cannot be shown. */
function CurrentPage() {
  const { path } = place.value;
  const route = routeNow();
  if (!route) return <LazyPage key="unknown" route={UNKNOWN} params={{}} />;
  if (!mayOpen(route)) {
    return me.value ? (
      <>
        <PageTitle title={t("Admins only")} />
        <Failure message={t("Only admins can open this page.")} />
      </>
    ) : (
      <LazyPage key="sign-in" route={SIGN_IN} params={{}} />
    );
  }
  if (addressDay !== pastDay)
    return (
      <Failure message={t("The address names no day: on={day}.", { day: addressDay ?? "" })} />
    );
  const groups = Object.entries(route.pattern.exec(path)?.groups ?? {});
  // A group that is not in the path is undefined, whatever its type says.
  const params = groups.filter(([, value]: readonly [string, string | undefined]) => value);
  const decoded = Object.fromEntries(params.map(([name, value]) => [name, decode(value)]));
  return <LazyPage key={route.pattern.source} route={route} params={decoded} />;
}

/** The text of a part of a path; as it is if it cannot be decoded. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Shown where an address has no page. */
const UNKNOWN: Pick<PageRoute, "load"> = { load: () => import("./pages/unknown.tsx") };
/** Shown instead of a page that needs a session. */
const SIGN_IN: Pick<PageRoute, "load"> = { load: () => import("./pages/sign-in.tsx") };

function LazyPage(props: {
  readonly route: Pick<PageRoute, "load">;
  readonly params: Record<string, string>;
}) {
  const { route, params } = props;
  const [page, setPage] = useState<{ readonly Page: Page } | Error | null>(null);
  // A page whose code could not be loaded is loaded when the service answers again.
  const isLost = outage.value !== null;
  useEffect(() => {
    route.load().then(
      (loaded) => setPage({ Page: loaded.default }),
      () => {
        setPage(new Error(t("The page could not be loaded. Check that the service is running.")));
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
