import { nameInLanguage } from "#console/app/company-names.tsx";
import { pageDay } from "#console/app/clock.ts";
import { commandLine } from "#console/app/session.ts";
import { asIs, t, translate } from "#console/app/words.ts";
import { hierarchy, type HierarchyRectangularNode, treemap, treemapSquarify } from "d3-hierarchy";
import type { Ref } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  formatDate,
  formatNumber,
  formatPercent,
  formatPlainPercent,
  MISSING,
} from "#console/app/format.ts";
import { columnInOneUnit } from "#console/app/one-unit.ts";
import { Change } from "#console/app/parts/change.tsx";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { NoFigures } from "#console/app/parts/panel.tsx";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { settings } from "#console/app/user-settings.ts";
import type { PayloadOf } from "#operations/index.ts";
import { earlierSessions, type Window } from "./windows.ts";
import { nearestTile } from "./map-keys.ts";
import type { Company, MapTip } from "./tip.tsx";

type Screen = PayloadOf<"screen_stocks">;

/** The colours of the map. */
interface Scale {
  /** The figure without a colour. */
  readonly middle: number;
  /** How far from it a tile has the strongest colour. */
  readonly strongest: number;
  readonly window: Window;
}

/** A sector with its companies, or the market with its sectors. */
interface Group {
  readonly name: string;
  readonly children: readonly (Group | Company)[];
}

type Tile = HierarchyRectangularNode<Group | Company>;

/** The height of a sector's name. */
const HEAD = 18;
/** Smaller tiles have no text, and those below one pixel are left out. */
const MIN_TEXT_WIDTH = 34;
const MIN_TEXT_HEIGHT = 16;
const MIN_CHANGE_HEIGHT = 34;
/** Colours on each side of zero. */
const STEPS = 3;

/** Companies as tiles in their sectors, or as a table. The area is the market cap, the colour the change. */
export function MarketMap(props: {
  readonly screen: Screen;
  readonly country: string;
  readonly window: Window;
  readonly isTable: boolean;
  /** The change of each sector over the window by slug, in percent; without those that are unknown. */
  readonly sectorChanges: Readonly<Record<string, number>>;
}) {
  const { screen, country, window, isTable, sectorChanges } = props;
  const companies = useMemo(() => readCompanies(screen, window), [screen, window]);
  if (companies.length === 0) {
    return (
      <NoFigures>
        {pageDay.value === null ? (
          <>
            {t("No company has a market cap. Load prices and shares first, for example with")}{" "}
            <code>{commandLine("sync")}</code>.
          </>
        ) : (
          t("No market cap of that day is known.")
        )}
      </NoFigures>
    );
  }
  return isTable ? (
    <>
      <CompanyTable
        companies={companies}
        country={country}
        window={window}
        currency={screen.currency}
      />
      <EarlierSessions country={country} />
    </>
  ) : (
    <Map
      companies={companies}
      country={country}
      window={window}
      screen={screen}
      sectorChanges={sectorChanges}
    />
  );
}

/** A change has no colour at 0; other figures at their median, and the strongest one where a sixth is farther away. */
function scaleOf(companies: readonly Company[], window: Window): Scale {
  const { strongest } = window;
  if (strongest !== null) return { middle: 0, strongest, window };
  const known = companies.flatMap(({ figure }) => (figure === null ? [] : [figure]));
  const middle = quantileOf(known, 1 / 2);
  const distances = known.map((figure) => Math.abs(figure - middle));
  return { middle, strongest: quantileOf(distances, 5 / 6) || 1, window };
}

/** The quantile of figures in any order, between its two neighbours; 0 without figures. */
function quantileOf(figures: readonly number[], share: number): number {
  const ascending = figures.toSorted((a, b) => a - b);
  const place = (ascending.length - 1) * share;
  const [below = 0, above = 0] = [ascending[Math.floor(place)], ascending[Math.ceil(place)]];
  return below + (place % 1) * (above - below);
}

function formatFigure(figure: number | null, { unit }: Window, digits = 2): string {
  if (unit === "multiple") return formatNumber(figure, digits);
  return unit === "percent" ? formatPlainPercent(figure, digits) : formatPercent(figure, digits);
}

function readCompanies(screen: Screen, { metric }: Window): readonly Company[] {
  return rowsOf(screen).flatMap((row) => {
    const marketCap = numberIn(row, "market_cap");
    if (marketCap === null || marketCap <= 0) return [];
    return {
      symbol: textIn(row, "symbol"),
      name: textIn(row, "name"),
      sector: textIn(row, "sector"),
      industry: textIn(row, "industry"),
      marketCap,
      figure: numberIn(row, metric),
    };
  });
}

function Map(props: {
  readonly companies: readonly Company[];
  readonly country: string;
  readonly window: Window;
  readonly screen: Screen;
  readonly sectorChanges: Readonly<Record<string, number>>;
}) {
  const { companies, country, window, screen, sectorChanges } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(frame);
  const root = useMemo(() => layOut(companies, width, height), [companies, width, height]);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const Tip = useTip(pointed !== null);
  const scale = useMemo(() => scaleOf(companies, window), [companies, window]);
  const company = companies.find(({ symbol }) => symbol === pointed?.symbol);
  const [focused, setFocused] = useState("");
  const stop = stopOf(focused, companies, country, root);
  const events = useMapEvents({ frame, pointed, setPointed, setFocused });
  return (
    <>
      <p class="map-note muted">
        {noteOf(scale)} {counted(companies.length, screen.of, screen.session)}
      </p>
      <div class="map-place" {...events}>
        <Sectors
          frame={frame}
          sectors={root?.children ?? []}
          changes={sectorChanges}
          country={country}
          scale={scale}
          stop={stop}
        />
        {Tip && pointed && company && (
          <div
            class={`map-tip ${pointed.by === "touch" ? "pressed" : ""}`}
            style={besidePointer(pointed, { width, height })}
          >
            <Tip
              company={company}
              companies={companies}
              country={country}
              currency={screen.currency}
              figureOf={({ figure }) => <Figure value={figure} window={window} />}
            />
            {pointed.by === "touch" && (
              <a href={symbolPath(country, company.symbol)}>
                {t("Open {symbol}", { symbol: company.symbol })}
              </a>
            )}
          </div>
        )}
      </div>
      <div class="map-foot">
        <EarlierSessions country={country} />
        <Legend scale={scale} />
      </div>
    </>
  );
}

/** The changes of the sessions before the newest one, as columns of the screener. */
const EarlierSessions = ({ country }: { readonly country: string }) => (
  <p>
    <a href={earlierSessions(country)}>{t("Earlier sessions")}</a>
  </p>
);

/** The link that the Tab key reaches: the one that had the focus, or else the first company. */
function stopOf(
  focused: string,
  companies: readonly Company[],
  country: string,
  root: Tile | null,
): string {
  const first = root?.leaves()[0]?.data;
  const isThere = companies.some(({ symbol, sector }) =>
    [symbolPath(country, symbol), sectorPath(country, sector)].includes(focused),
  );
  return isThere || !first || !("symbol" in first) ? focused : symbolPath(country, first.symbol);
}

/** The company with the tip, what points at it, and where that is in the map, in pixels. */
interface Pointed {
  readonly symbol: string;
  readonly by: "mouse" | "touch" | "keys";
  readonly x: number;
  readonly y: number;
}

const LINK = ".map a";

/** The link of an event in the map: a tile, or the name of a sector; null beside them. */
const linkAt = ({ target }: Event) =>
  target instanceof Element ? target.closest<HTMLElement>(LINK) : null;

/** The tile of an event; null beside the tiles. */
const tileAt = (event: Event) => linkAt(event)?.closest<HTMLElement>("[data-symbol]") ?? null;

/**
 * The tip follows the mouse and the focus. A finger has no place above a tile: its first tap shows the tip, which
 * the next tap closes, except on the tip or the same tile, where it opens the company.
 */
function useMapEvents(props: {
  readonly frame: { readonly current: HTMLElement | null };
  readonly pointed: Pointed | null;
  readonly setPointed: (pointed: Pointed | null) => void;
  /** Takes the address of the link that has the focus. */
  readonly setFocused: (path: string) => void;
}) {
  const { frame, pointed, setPointed, setFocused } = props;
  const pressedBy = useRef("");
  const isTapped = pointed?.by === "touch";
  useClosing(pointed, setPointed);
  const pointAt = (tile: HTMLElement | null, by: Pointed["by"], at?: MouseEvent) => {
    const map = frame.current?.getBoundingClientRect();
    const symbol = tile?.dataset["symbol"];
    if (!tile || !map || symbol === undefined) return setPointed(null);
    const box = tile.getBoundingClientRect();
    const isLeft = box.left + box.right < map.left + map.right;
    // Without a pointer, it is at the edge of the tile.
    const { clientX: x, clientY: y } = at ?? {
      clientX: isLeft ? box.right - TIP_DISTANCE / 2 : box.left + TIP_DISTANCE / 2,
      clientY: (box.top + box.bottom) / 2,
    };
    setPointed({ symbol, by, x: x - map.left, y: y - map.top });
  };
  return {
    onPointerOver: (event: PointerEvent) => {
      if (event.pointerType === "mouse") pointAt(tileAt(event), "mouse", event);
    },
    onPointerLeave: (event: PointerEvent) => {
      if (event.pointerType === "mouse") setPointed(null);
    },
    onPointerDown: ({ pointerType }: PointerEvent) => void (pressedBy.current = pointerType),
    onClick: (event: MouseEvent) => {
      const tile = tileAt(event);
      const isTap = pressedBy.current === "touch";
      // A screen reader clicks without a press.
      pressedBy.current = "";
      if (!isTap || !tile) return;
      if (isTapped && pointed.symbol === tile.dataset["symbol"]) return;
      event.preventDefault();
      pointAt(tile, "touch", event);
    },
    onFocusIn: (event: FocusEvent) => {
      const link = linkAt(event);
      if (!link?.matches(":focus-visible")) return;
      setFocused(link.getAttribute("href") ?? "");
      pointAt(link, "keys");
    },
    onFocusOut: () => pointed?.by === "keys" && setPointed(null),
    onKeyDown: (event: KeyboardEvent) => {
      pressedBy.current = "";
      const link = linkAt(event);
      if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
      const links = [...document.querySelectorAll<HTMLElement>(LINK)];
      const boxes = links.map((one) => one.getBoundingClientRect());
      const next = nearestTile(event.key, link.getBoundingClientRect(), boxes);
      if (next === undefined) return;
      event.preventDefault();
      links[next]?.focus();
    },
  };
}

/** Closes the tip by Escape, and after a tap by one elsewhere. */
function useClosing(pointed: Pointed | null, setPointed: (pointed: null) => void): void {
  const isTapped = pointed?.by === "touch";
  useEffect(() => {
    if (!isTapped) return;
    const onDown = (event: Event) => {
      const isInTip = event.target instanceof Element && event.target.closest(".map-tip");
      if (!isInTip && !tileAt(event)) setPointed(null);
    };
    document.addEventListener("pointerdown", onDown);
    return () => document.removeEventListener("pointerdown", onDown);
  }, [isTapped]);
  const isPointed = pointed !== null;
  useEffect(() => {
    if (!isPointed) return;
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && setPointed(null);
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isPointed]);
}

const TIP_DISTANCE = 16;
const TIP_WIDTH = 240;

/** The place of the tip in the map, on the side of the pointer that has more room. */
function besidePointer({ x, y }: Pointed, size: { width: number; height: number }) {
  const isLeft = x < size.width / 2;
  const across = Math.min((isLeft ? x : size.width - x) + TIP_DISTANCE, size.width - TIP_WIDTH);
  const down =
    y < size.height / 2
      ? { top: `${y + TIP_DISTANCE}px` }
      : { bottom: `${size.height - y + TIP_DISTANCE}px` };
  return { [isLeft ? "left" : "right"]: `${across}px`, width: `${TIP_WIDTH}px`, ...down };
}

/** The tip, whose code is loaded when it is first wanted; without it, the map has none. */
function useTip(isWanted: boolean): typeof MapTip | null {
  const [Tip, setTip] = useState<typeof MapTip | null>(null);
  useEffect(() => {
    if (!isWanted) return;
    import("./tip.tsx").then(
      (loaded) => setTip(() => loaded.MapTip),
      () => {},
    );
  }, [isWanted]);
  return Tip;
}

/** The colour of the good figures, by the setting of colours. */
const LOW_WORDS = {
  "green-red": "Low is green.",
  "red-green": "Low is red.",
  "blue-orange": "Low is blue.",
} as const;

function noteOf({ window, middle }: Scale): string {
  const { name, unit, strongest, isLowBetter } = window;
  const figure = translate(name);
  if (!unit) return t("Area: market cap. Colour: change, {window}.", { window: figure });
  if (strongest !== null) return t("Area: market cap. Colour: {figure}.", { figure });
  const median = formatFigure(middle, window);
  const note = t("Area: market cap. Colour: {figure}, grey at the median of {median}.", {
    figure,
    median,
  });
  return isLowBetter ? `${note} ${t(LOW_WORDS[settings.value.colors ?? "green-red"])}` : note;
}

function counted(shown: number, of: number, session: string | null): string {
  const companies =
    shown < of
      ? t("The largest {shown} of {of} companies", { shown, of })
      : t("{count} companies", { count: shown });
  return session === null
    ? `${companies}.`
    : t("{companies}, session of {date}.", { companies, date: formatDate(session) });
}

const isChange = ({ unit = "change" }: Window) => unit === "change";

/** A change with its colour; another figure than a window's with its name. */
function Figure({ value, window }: { readonly value: number | null; readonly window: Window }) {
  return (
    <>
      {window.unit && translate(window.name)}{" "}
      {isChange(window) ? <Change value={value} /> : formatFigure(value, window)}
    </>
  );
}

/** The size of an element in pixels, also after it changed. */
function useSize(of: { readonly current: HTMLElement | null }) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) return;
    const read = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}

function layOut(companies: readonly Company[], width: number, height: number): Tile | null {
  if (width === 0) return null;
  const sectors = Object.entries(Object.groupBy(companies, ({ sector }) => sector));
  const market: Group = {
    name: "",
    children: sectors.map(([name, children = []]) => ({ name, children })),
  };
  const root = hierarchy<Group | Company>(market, (one) =>
    "children" in one ? [...one.children] : null,
  )
    .sum((one) => ("marketCap" in one ? one.marketCap : 0))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  return treemap<Group | Company>()
    .tile(treemapSquarify)
    .size([width, height])
    .paddingOuter(1)
    .paddingInner(1)
    .paddingTop(({ depth }) => (depth === 1 ? HEAD : 1))
    .round(true)(root);
}

const boxOf = (
  { x0, y0, x1, y1 }: Tile,
  origin: { x0: number; y0: number } = { x0: 0, y0: 0 },
) => ({
  left: `${x0 - origin.x0}px`,
  top: `${y0 - origin.y0}px`,
  width: `${x1 - x0}px`,
  height: `${y1 - y0}px`,
});

const sectorPath = (country: string, sector: string) =>
  `/console/sectors?${new URLSearchParams({ country, sector })}`;

function Sectors(props: {
  readonly frame: Ref<HTMLDivElement>;
  readonly sectors: readonly Tile[];
  readonly changes: Readonly<Record<string, number>>;
  readonly country: string;
  readonly scale: Scale;
  /** The address of the link that the Tab key reaches. */
  readonly stop: string;
}) {
  const { frame, sectors, changes, country, scale, stop } = props;
  return (
    <>
      <p id="map-keys" hidden>
        {t("The arrow keys go to companies and, above the companies of each sector, to its name.")}
      </p>
      <div
        ref={frame}
        class="map"
        role="group"
        aria-label={t("Map of companies")}
        aria-describedby="map-keys"
      >
        {sectors.map((sector) => (
          <SectorTiles
            key={sector.data.name}
            sector={sector}
            change={changes[sector.data.name]}
            country={country}
            scale={scale}
            stop={stop}
          />
        ))}
      </div>
    </>
  );
}

function SectorTiles(props: {
  readonly sector: Tile;
  readonly change: number | undefined;
  readonly country: string;
  readonly scale: Scale;
  /** The address of the link that the Tab key reaches. */
  readonly stop: string;
}) {
  const { sector, change, country, scale, stop } = props;
  const slug = sector.data.name;
  const path = sectorPath(country, slug);
  const hasChange = change !== undefined && sector.x1 - sector.x0 > widthOf(classNameOf(slug)) + 64;
  return (
    <div class="map-sector" style={boxOf(sector)}>
      {slug === "" ? (
        <span class="map-head">{t("Other")}</span>
      ) : (
        // A text that gets a neighbour moves; a new element does not.
        <a
          key={String(hasChange)}
          class="map-head"
          tabIndex={path === stop ? 0 : -1}
          aria-label={`${t("Sector")}: ${classNameOf(slug)}${change === undefined ? "" : ` ${formatPercent(change)}`}`}
          href={path}
        >
          {classNameOf(slug)} {hasChange && <Change value={change} />}
        </a>
      )}
      {sector.children?.map((tile) => (
        <CompanyTile
          key={"symbol" in tile.data ? tile.data.symbol : ""}
          tile={tile}
          sector={sector}
          country={country}
          scale={scale}
          stop={stop}
        />
      ))}
    </div>
  );
}

function CompanyTile(props: {
  readonly tile: Tile;
  readonly sector: Tile;
  readonly country: string;
  readonly scale: Scale;
  readonly stop: string;
}) {
  const { tile, sector, country, scale, stop } = props;
  const { x0, x1, y0, y1, data } = tile;
  const [width, height] = [x1 - x0, y1 - y0];
  if (!("symbol" in data) || width < 1 || height < 1) return null;
  const hasText =
    height >= MIN_TEXT_HEIGHT && width >= Math.max(MIN_TEXT_WIDTH, widthOf(data.symbol));
  const hasChange = hasText && height >= MIN_CHANGE_HEIGHT && width >= 54;
  const isLarge = width > 120 && height > 80;
  const hasName = isLarge || (hasChange && width >= 76 && height >= 56);
  const name = nameInLanguage({ country, symbol: data.symbol }, data.name);
  const figure = formatFigure(data.figure, scale.window);
  const path = symbolPath(country, data.symbol);
  return (
    <a
      class={`tile ${stepOf(data.figure, scale)} ${isLarge ? "large" : ""}`}
      style={boxOf(tile, sector)}
      tabIndex={path === stop ? 0 : -1}
      aria-label={hasText ? undefined : `${data.symbol} ${name} ${figure}`}
      href={path}
      data-symbol={data.symbol}
    >
      {hasText && (
        <>
          <b>{data.symbol}</b>
          <i class={hasName ? "" : "unseen"}>{name}</i>
          <span class={hasChange ? "" : "unseen"}>{figure}</span>
        </>
      )}
    </a>
  );
}

/** About the width of a small text in pixels. */
function widthOf(text: string): number {
  return text.length * 9 + 4;
}

/** The class of a colour: `fall-3` to `fall-1`, `flat`, `rise-1` to `rise-3`, `unknown`. */
function stepOf(figure: number | null, { middle, strongest, window }: Scale): string {
  if (figure === null) return "unknown";
  const distance = figure - middle;
  const step = Math.min(STEPS, Math.round((Math.abs(distance) / strongest) * STEPS));
  const isGood = distance > 0 !== (window.isLowBetter ?? false);
  return step === 0 ? "flat" : `${isGood ? "rise" : "fall"}-${step}`;
}

function Legend({ scale }: { readonly scale: Scale }) {
  const { middle, strongest, window } = scale;
  const digits = window.unit === "percent" ? 1 : 0;
  const steps = Array.from(
    { length: 2 * STEPS + 1 },
    (_, i) => middle + (strongest * (i - STEPS)) / STEPS,
  );
  // A figure that is never negative has no such step.
  const shown = steps.filter((figure) => isChange(window) || figure >= 0);
  return (
    <ul class="map-legend" aria-label={t("Colours")}>
      {shown.map((figure) => (
        <li key={figure} class={stepOf(figure, scale)}>
          {formatFigure(figure, window, digits)}
        </li>
      ))}
      <li class="unknown">{MISSING}</li>
    </ul>
  );
}

/** The rows of the table before the reader asks for all: about as high as the map. */
const FIRST_ROWS = 16;

function CompanyTable(props: {
  readonly companies: readonly Company[];
  readonly country: string;
  readonly window: Window;
  readonly currency: string;
}) {
  const [isWhole, setWhole] = useState(false);
  const sizes = columnInOneUnit(
    "Market cap",
    props.companies.map(({ marketCap }) => marketCap),
    props.currency,
  );
  const columns: readonly Column<Company>[] = [
    {
      title: "Symbol",
      cell: ({ symbol }) => <a href={symbolPath(props.country, symbol)}>{symbol}</a>,
      sortBy: ({ symbol }) => symbol,
    },
    { title: "Name", cell: ({ name }) => name, sortBy: ({ name }) => name },
    {
      title: "Sector",
      cell: ({ sector }) => classNameOf(sector),
      sortBy: ({ sector }) => sector,
      isExtra: true,
    },
    {
      title: "Industry",
      cell: ({ industry }) => classNameOf(industry),
      sortBy: ({ industry }) => industry,
      isExtra: true,
    },
    {
      title: sizes.title,
      cell: ({ marketCap }) => sizes.format(marketCap),
      sortBy: ({ marketCap }) => marketCap,
      isNumber: true,
    },
    {
      title: props.window.unit
        ? props.window.name
        : asIs(`${t("Change")}, ${translate(props.window.name)}`),
      cell: ({ figure }) =>
        isChange(props.window) ? <Change value={figure} /> : formatFigure(figure, props.window),
      sortBy: ({ figure }) => figure,
      isNumber: true,
    },
  ];
  const total = props.companies.length;
  return (
    <div class="map-table stack">
      <DataTable
        label="Companies"
        columns={columns}
        rows={props.companies}
        keyOf={({ symbol }) => symbol}
        {...(!isWhole && { most: FIRST_ROWS })}
      />
      {!isWhole && total > FIRST_ROWS && (
        <p class="muted">
          {t("{shown} of {total} companies.", { shown: FIRST_ROWS, total })}{" "}
          <button type="button" onClick={() => setWhole(true)}>
            {t("All companies")}
          </button>
        </p>
      )}
    </div>
  );
}
