import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useData } from "./api.ts";
import { newestMessage, seenMessage } from "./changes.ts";
import type * as PastBand from "./past-band.tsx";
import { pastDay } from "./past-day.ts";
import { formatCountdown, formatDate } from "./format.ts";
import { countryName, MARKETS } from "./parts/country.tsx";
import { Palette } from "./search/palette.tsx";
import { showToast } from "./parts/toast.tsx";
import { addressDay, place, withCountry } from "./router.ts";
import { pagesOf, pathOf, ROUTES, SECTIONS } from "./routes.ts";
import { me, service, signOut } from "./session.ts";
import { asIs, type Shown, t, translate } from "./words.ts";
import { changeSettings, firstPath, settings } from "./user-settings.ts";
import { useTime } from "./parts/timer.ts";

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
          <Bell />
          <ThemeButton class="quiet theme-button" />
          <UserMenu />
        </>
      )}
    </header>
  );
}

/** A link to the messages of alerts, with a dot while this browser has not shown the newest one. */
function Bell() {
  const isNew = newestMessage.value > seenMessage.value;
  const text = t(isNew ? "Alerts, new messages" : "Alerts");
  return (
    <a href="/console/alerts" aria-label={text} title={text}>
      <svg width="24" viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
        <path d="M3 12V7a5 5 0 0 1 10 0v5zm4 2h2" />
        {isNew && <circle cx="12" cy="3" r="3" fill="var(--loss)" stroke="none" />}
      </svg>
    </a>
  );
}

const sectionNow = () => ROUTES.find(({ pattern }) => pattern.test(place.value.path))?.section;

/** The sections of the console, each with its first page. A phone has five at the bottom, and Connect in the user's menu. */
function MainMenu() {
  const current = sectionNow();
  return (
    <nav aria-label={t("Sections")}>
      {SECTIONS.filter((section) => section !== "You").map((section) => {
        const [first] = pagesOf(section);
        return (
          first && (
            <a
              key={section}
              class={section === "Connect" ? "menu-connect" : undefined}
              href={pathOf(first)}
              aria-current={section === current ? "page" : undefined}
            >
              {t(section)}
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
  // Markets has its own beside its title.
  if (pages.length < 2 || (section === "Markets" && pages[0]?.pattern.test(place.value.path)))
    return null;
  return (
    <nav
      class="section-menu"
      aria-label={t("Pages of {section}", { section: section === undefined ? "" : t(section) })}
    >
      {pages.map((page) => (
        <a
          key={page.name}
          href={page.hasCountry ? withCountry(pathOf(page)) : pathOf(page)}
          aria-current={page.pattern.test(place.value.path) ? "page" : undefined}
        >
          {page.name && t(page.name)}
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
          {t(
            "Sample market: no figure is real. The companies are known, their figures are made up by a program, so that everything can be tried without a network.",
          )}
        </p>
        <a href="/console/about#live">{t("Go live")}</a>
      </Menu>
    </>
  );
}

const CLOCK_MS = 20_000;

/** The state of each market and the time until the next one, by the page's clock; empty before it is known. */
function useMarketStates(): readonly State[] {
  const markets = useData(MARKETS);
  const now = useTime(CLOCK_MS);
  const states = (markets.value?.data.countries ?? []).map(({ code, exchange }) => ({
    code,
    status: exchange.status,
    leftMs: Date.parse(exchange.status_until) - now,
  }));
  // The state has changed since it was asked. On a past day, time stands still.
  const isOver = addressDay === null && states.some(({ leftMs }) => leftMs <= 0);
  useEffect(() => {
    if (isOver) markets.reload();
  }, [isOver, now]);
  return states;
}

/** Whether the market of the reader's country is open, and for how long, or the past day; behind it, the others and the choice of a day. */
function MarketsChip() {
  const states = useMarketStates();
  const [part, setPart] = useState<typeof PastBand | null>(null);
  const day = pastDay && formatDate(pastDay);
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
        popovertarget="markets-text"
        onClick={() => void import("./past-band.tsx").then(setPart, () => {})}
        title={t("Show all pages as of")}
        aria-label={day === null ? undefined : t("As of {date}", { date: day })}
      >
        {day !== null ? (
          <b class="day-now">{day}</b>
        ) : first ? (
          <MarketState state={first} />
        ) : (
          t("Markets")
        )}
      </button>
      <Menu id="markets-text">
        <MarketList />
        {part && <part.DayChoice />}
      </Menu>
    </>
  );
}

function MarketList() {
  return (
    <ul>
      {useMarketStates().map((state) => (
        <li key={state.code}>
          <MarketState state={state} />
        </li>
      ))}
    </ul>
  );
}

interface State {
  readonly code: string;
  readonly status: keyof typeof STATUS_WORDS;
  /** The time until the state changes; not above 0 if it has changed. */
  readonly leftMs: number;
}

/** What is shown for each state, and for the time until the next one. */
const STATUS_WORDS = {
  open: ["open", "{time} left"],
  break: ["at lunch", "{time} left"],
  closed: ["closed", "opens in {time}"],
} as const;

/** `US open 2:14 left` */
function MarketState({ state: { code, status, leftMs } }: { readonly state: State }) {
  const [word, left] = STATUS_WORDS[status];
  return (
    <>
      <span class={`state-dot ${status}`} aria-hidden="true" /> {countryName(code)}{" "}
      <span class="market-word">
        {t(word)}{" "}
        {leftMs > 0 && <span class="muted">{t(left, { time: formatCountdown(leftMs) })}</span>}
      </span>
    </>
  );
}

const THEMES = { system: "◐", light: "☀", dark: "☾" } as const;
const NAMES = ["system", "light", "dark"] as const;

const THEME_WORDS = { system: "As the system", light: "Light", dark: "Dark" } as const;

/** Goes from the theme of the system to light, dark and back. */
function ThemeButton(props: { readonly class: string; readonly hasText?: boolean }) {
  const { theme = "system" } = settings.value;
  const next = NAMES[(NAMES.indexOf(theme) + 1) % NAMES.length] ?? "system";
  const text = t("Theme: {theme}", { theme: t(THEME_WORDS[theme]) });
  const action = t("Change to: {theme}", { theme: t(THEME_WORDS[next]) });
  return (
    <button
      type="button"
      class={props.class}
      aria-label={`${text}. ${action}.`}
      title={text}
      onClick={() =>
        void changeSettings({ theme: next }).catch((error: Error) =>
          showToast({ text: translate(error.message) }),
        )
      }
    >
      {THEMES[theme]} {props.hasText && text}
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

/** The pages of a section below its title. */
function MenuPart(props: {
  readonly title: Shown;
  readonly section: "Markets" | "Connect" | "You";
  readonly class?: string;
}) {
  return (
    <>
      <li class={`menu-title muted ${props.class ?? ""}`}>{props.title}</li>
      {pagesOf(props.section).map((page) => (
        <li key={page.name} class={props.class}>
          <a href={pathOf(page)}>{page.name && t(page.name)}</a>
        </li>
      ))}
    </>
  );
}

/** The pages of Connect and of the user, on a phone also of Markets, and the way out. */
function UserMenu() {
  const user = me.value?.user ?? "";
  return (
    <>
      <button
        type="button"
        class="quiet user"
        aria-label={t("Menu of {user}", { user })}
        popovertarget="user-menu"
      >
        <span>{user}</span>
      </button>
      <Menu id="user-menu">
        <ul>
          <MenuPart title={t("Markets")} section="Markets" class="phone-only" />
          <MenuPart title={t("Connect")} section="Connect" />
          <MenuPart title={asIs(user)} section="You" />
          <li>
            <a href="/docs">{t("Documentation")}</a>
          </li>
          <li class="phone-only">
            <ThemeButton class="quiet" hasText />
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
