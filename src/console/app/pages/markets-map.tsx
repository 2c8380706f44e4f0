import { t, translate } from "#console/app/words.ts";
import { hierarchy, type HierarchyRectangularNode, treemap, treemapSquarify } from "d3-hierarchy";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatDate, formatPercent, formatShort, MISSING } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Empty } from "#console/app/parts/panel.tsx";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { PayloadOf } from "#operations/index.ts";
import type { Window } from "./market-windows.ts";

type Screen = PayloadOf<"screen_stocks">;

/** A company of the map. */
interface Company {
  readonly symbol: string;
  readonly name: string;
  readonly sector: string;
  readonly industry: string;
  readonly marketCap: number;
  /** In percent; null if unknown. */
  readonly change: number | null;
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
  /** The change of each sector over the window by slug, as text; without those that are unknown. */
  readonly sectorChanges: Readonly<Record<string, string>>;
}) {
  const { screen, country, window, isTable, sectorChanges } = props;
  const companies = useMemo(() => readCompanies(screen, window), [screen, window]);
  if (companies.length === 0) {
    return (
      <Empty>
        No company has a market cap. Load prices and shares first, for example with{" "}
        <code>bourse sync</code>.
      </Empty>
    );
  }
  return isTable ? (
    <CompanyTable
      companies={companies}
      country={country}
      window={window}
      currency={screen.currency}
    />
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
      change: numberIn(row, metric),
    };
  });
}

function Map(props: {
  readonly companies: readonly Company[];
  readonly country: string;
  readonly window: Window;
  readonly screen: Screen;
  readonly sectorChanges: Readonly<Record<string, string>>;
}) {
  const { companies, country, window, screen, sectorChanges } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(frame);
  const root = useMemo(() => layOut(companies, width, height), [companies, width, height]);
  const [shown, setShown] = useState<string | null>(null);
  const company = companies.find(({ symbol }) => symbol === shown);
  const read = (event: Event) => {
    const tile = event.target instanceof Element ? event.target.closest("[data-symbol]") : null;
    setShown(tile?.getAttribute("data-symbol") ?? null);
  };
  return (
    <>
      <p class="map-note muted">
        {company ? (
          <CompanyLine company={company} currency={screen.currency} />
        ) : (
          `${t("Area: market cap. Colour: change, {window}.", { window: translate(window.name) })} ${counted(companies.length, screen)}`
        )}
      </p>
      {/* The table has the same content for keyboards and screen readers. */}
      <div
        ref={frame}
        class="map"
        aria-hidden="true"
        onPointerOver={read}
        onPointerLeave={() => setShown(null)}
      >
        {root?.children?.map((sector) => (
          <SectorTiles
            key={sector.data.name}
            sector={sector}
            change={sectorChanges[sector.data.name]}
            country={country}
            strongest={window.strongest}
          />
        ))}
      </div>
      <Legend strongest={window.strongest} />
    </>
  );
}

function counted(shown: number, { of, session }: Screen): string {
  const companies = shown < of ? `The largest ${shown} of ${of} companies` : `${shown} companies`;
  return session === null
    ? `${companies}.`
    : t("{companies}, session of {date}.", { companies, date: formatDate(session) });
}

function CompanyLine(props: { readonly company: Company; readonly currency: string }) {
  const { symbol, name, industry, marketCap, change } = props.company;
  return (
    <>
      <b>{symbol}</b> {name} · {classNameOf(industry)} · {formatShort(marketCap)} {props.currency} ·{" "}
      <Change value={change} />
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

function SectorTiles(props: {
  readonly sector: Tile;
  readonly change: string | undefined;
  readonly country: string;
  readonly strongest: number;
}) {
  const { sector, change, country, strongest } = props;
  const slug = sector.data.name;
  const query = new URLSearchParams({ country, sector: slug });
  const hasChange = change !== undefined && sector.x1 - sector.x0 > widthOf(classNameOf(slug)) + 64;
  return (
    <div class="map-sector" style={boxOf(sector)}>
      {slug === "" ? (
        <span class="map-head">Other</span>
      ) : (
        <a class="map-head" tabIndex={-1} href={`/console/sectors?${query}`}>
          {classNameOf(slug)} {hasChange && <Change value={change} />}
        </a>
      )}
      {sector.children?.map((tile) => (
        <CompanyTile
          key={"symbol" in tile.data ? tile.data.symbol : ""}
          tile={tile}
          sector={sector}
          country={country}
          strongest={strongest}
        />
      ))}
    </div>
  );
}

function CompanyTile(props: {
  readonly tile: Tile;
  readonly sector: Tile;
  readonly country: string;
  readonly strongest: number;
}) {
  const { tile, sector, country, strongest } = props;
  const { x0, x1, y0, y1, data } = tile;
  const [width, height] = [x1 - x0, y1 - y0];
  if (!("symbol" in data) || width < 1 || height < 1) return null;
  const hasText =
    height >= MIN_TEXT_HEIGHT && width >= Math.max(MIN_TEXT_WIDTH, widthOf(data.symbol));
  const hasChange = hasText && height >= MIN_CHANGE_HEIGHT && width >= 54;
  const isLarge = width > 120 && height > 80;
  return (
    <a
      class={`tile ${stepOf(data.change, strongest)} ${isLarge ? "large" : ""}`}
      style={boxOf(tile, sector)}
      tabIndex={-1}
      href={symbolPath(country, data.symbol)}
      title={`${data.symbol} ${data.name}: ${formatPercent(data.change)}`}
      data-symbol={data.symbol}
    >
      {hasText && <b>{data.symbol}</b>}
      {isLarge && <i>{data.name}</i>}
      {hasChange && <span>{formatPercent(data.change)}</span>}
    </a>
  );
}

/** About the width of a small text in pixels. */
function widthOf(text: string): number {
  return text.length * 9 + 4;
}

/** The class of a colour: `fall-3` to `fall-1`, `flat`, `rise-1` to `rise-3`, `unknown`. */
function stepOf(change: number | null, strongest: number): string {
  if (change === null) return "unknown";
  const step = Math.min(STEPS, Math.round((Math.abs(change) / strongest) * STEPS));
  return step === 0 ? "flat" : `${change > 0 ? "rise" : "fall"}-${step}`;
}

function Legend({ strongest }: { readonly strongest: number }) {
  const steps = Array.from({ length: 2 * STEPS + 1 }, (_, i) => (strongest * (i - STEPS)) / STEPS);
  return (
    <ul class="map-legend" aria-label="Colours">
      {steps.map((change) => (
        <li key={change} class={stepOf(change, strongest)}>
          {formatPercent(change, 0)}
        </li>
      ))}
      <li class="unknown">{MISSING}</li>
    </ul>
  );
}

function CompanyTable(props: {
  readonly companies: readonly Company[];
  readonly country: string;
  readonly window: Window;
  readonly currency: string;
}) {
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
      title: `Market cap, ${props.currency}`,
      cell: ({ marketCap }) => formatShort(marketCap),
      sortBy: ({ marketCap }) => marketCap,
      isNumber: true,
    },
    {
      title: `Change, ${props.window.name}`,
      cell: ({ change }) => <Change value={change} />,
      sortBy: ({ change }) => change,
      isNumber: true,
    },
  ];
  return (
    <div class="map-table">
      <DataTable
        label="Companies"
        columns={columns}
        rows={props.companies}
        keyOf={({ symbol }) => symbol}
      />
    </div>
  );
}
