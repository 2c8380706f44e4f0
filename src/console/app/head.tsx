import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Call, useData } from "./api.ts";
import { formatDuration } from "./format.ts";
import { COUNTRY_NAMES } from "./parts/country.tsx";
import { Palette } from "./parts/palette.tsx";
import { showToast } from "./parts/toast.tsx";
import { place } from "./router.ts";
import { pagesOf, pathOf, ROUTES, SECTIONS } from "./routes.ts";
import { me, service, signOut } from "./session.ts";
import { t, translate } from "./words.ts";
import { changeSettings, firstPath, settings } from "./settings.ts";

/** The line at the top of every page: menu, search, state of the markets, and the user. */
export function Head() {
  return (
    <header class="head">
      <a class="skip" href="#content">
        {t("Skip to the content")}
      </a>
      <a class="brand" href={firstPath()}>
        bourse
      </a>
      <MainMenu />
      {me.value && <Palette />}
      {service.value?.market === "sample" && <SampleChip />}
      {me.value && (
        <>
          <MarketsChip />
          <ThemeButton />
          <UserMenu />
        </>
      )}
    </header>
  );
}

const sectionNow = () => ROUTES.find(({ pattern }) => pattern.test(place.value.path))?.section;

/** The sections of the console, each with its first page. A phone has them at the bottom. */
function MainMenu() {
  const current = sectionNow();
  return (
    <nav aria-label="Sections">
      {SECTIONS.filter((section) => section !== "You").map((section) => {
        const [first] = pagesOf(section);
        return (
          first && (
            <a
              key={section}
              href={pathOf(first)}
              aria-current={section === current ? "page" : undefined}
            >
              {translate(section)}
            </a>
          )
        );
      })}
    </nav>
  );
}

/** The pages of the current section, if it has several. */
export function SectionMenu() {
  const section = sectionNow();
  const pages = section === undefined ? [] : pagesOf(section);
  if (pages.length < 2 || (section === "Markets" && place.value.path === "/console")) return null;
  return (
    <nav class="section-menu" aria-label={`${section} pages`}>
      {pages.map((page) => (
        <a
          key={page.name}
          href={pathOf(page)}
          aria-current={page.pattern.test(place.value.path) ? "page" : undefined}
        >
          {translate(page.name ?? "")}
        </a>
      ))}
    </nav>
  );
}

/** Says on every page that no figure is real. */
function SampleChip() {
  return (
    <>
      <button type="button" class="chip sample" popovertarget="sample-text">
        <span class="wide-only">{t("Sample market")}</span>
        <span class="narrow-only">{t("Sample")}</span>
      </button>
      <Menu id="sample-text">
        <p>
          Sample market: no figure is real. The companies are known, their figures are made up by a
          program, so that everything can be tried without a network.
        </p>
        <a href="/console/about#live">{t("Go live")}</a>
      </Menu>
    </>
  );
}

const MARKETS: Call<"get_markets"> = { operation: "get_markets", args: {} };
const CLOCK_MS = 20_000;
const STATUS_WORDS = { open: "open", break: "at lunch", closed: "closed" } as const;

/** Whether the market of the reader's country is open, and for how long; the others behind it. */
function MarketsChip() {
  const markets = useData(MARKETS);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  const states: State[] = (markets.value?.data.countries ?? []).map(({ code, exchange }) => ({
    code,
    status: exchange.status,
    left: formatDuration(Math.max(0, Date.parse(exchange.status_until) - now) / 1_000),
    isOver: Date.parse(exchange.status_until) <= now,
  }));
  // The state has changed since it was asked.
  const isOver = states.some((state) => state.isOver);
  useEffect(() => {
    if (isOver) markets.reload();
  }, [isOver, now]);
  const home = settings.value.country;
  const first =
    states.find(({ code }) => code === home) ??
    states.find(({ status }) => status === "open") ??
    states[0];
  return (
    <>
      <button
        type="button"
        class="chip markets-chip"
        aria-label={first ? undefined : "Markets"}
        popovertarget="markets-text"
      >
        {first && <MarketState state={first} />}
      </button>
      <Menu id="markets-text">
        <ul>
          {states.map((state) => (
            <li key={state.code}>
              <MarketState state={state} />
            </li>
          ))}
        </ul>
      </Menu>
    </>
  );
}

interface State {
  readonly code: string;
  readonly status: keyof typeof STATUS_WORDS;
  readonly left: string;
  readonly isOver: boolean;
}

function MarketState({ state: { code, status, left, isOver } }: { readonly state: State }) {
  return (
    <>
      <span class={`state-dot ${status}`} aria-hidden="true" />{" "}
      {translate(COUNTRY_NAMES[code] ?? code)} {t(STATUS_WORDS[status])}{" "}
      {!isOver && <span class="muted">{left}</span>}
    </>
  );
}

const THEMES = { system: "◐", light: "☀", dark: "☾" } as const;
const NAMES = ["system", "light", "dark"] as const;

/** Goes from the theme of the system to light, dark and back. */
function ThemeButton() {
  const { theme = "system" } = settings.value;
  const next = NAMES[(NAMES.indexOf(theme) + 1) % NAMES.length] ?? "system";
  return (
    <button
      type="button"
      class="quiet theme-button"
      aria-label={`Theme: ${theme}. Change to ${next}.`}
      title={`Theme: ${theme}`}
      onClick={() =>
        void changeSettings({ theme: next }).catch((error: Error) =>
          showToast({ text: error.message }),
        )
      }
    >
      {THEMES[theme]}
    </button>
  );
}

/** What a button of the head opens below it. A link in it closes it, because the page is not loaded again. */
function Menu(props: { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div
      id={props.id}
      class="menu"
      popover="auto"
      onClick={({ target, currentTarget }) => {
        if (target instanceof Element && target.closest("a")) currentTarget.hidePopover();
      }}
    >
      {props.children}
    </div>
  );
}

/** The pages of the user, and the way out. */
function UserMenu() {
  return (
    <>
      <button type="button" class="quiet user" popovertarget="user-menu">
        {me.value?.user}
      </button>
      <Menu id="user-menu">
        <ul>
          {[...pagesOf("Connect"), ...pagesOf("You")].map((page) => (
            <li key={page.name}>
              <a href={pathOf(page)}>{translate(page.name ?? "")}</a>
            </li>
          ))}
          <li>
            <a href="/docs">Documentation</a>
          </li>
          <li>
            <button type="button" class="quiet" onClick={() => void signOut()}>
              {t("Sign out")}
            </button>
          </li>
        </ul>
      </Menu>
    </>
  );
}
