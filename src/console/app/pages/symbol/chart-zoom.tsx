import { useEffect } from "preact/hooks";
import type { ChartToolProps } from "#console/app/parts/chart.tsx";
import { t } from "#console/app/words.ts";

type Chart = ReturnType<ChartToolProps["chart"]>;

/** The keys that zoom, each with the part of the bars that is visible then. */
const ZOOMS: Readonly<Record<string, number>> = { "+": 1 / 1.5, "=": 1 / 1.5, "-": 1.5 };
/** The fewest visible bars. */
const FEWEST = 5;

/** Shows another number of bars. @param share of the width that stays where it is: 1 is the newest bar */
function zoom(chart: Chart, factor: number, share = 1): void {
  const scale = chart?.timeScale();
  const range = scale?.getVisibleLogicalRange();
  if (!scale || !range) return;
  const [width, fixed] = [range.to - range.from, range.from + share * (range.to - range.from)];
  const next = Math.max(FEWEST, width * factor);
  scale.setVisibleLogicalRange({ from: fixed - share * next, to: fixed + (1 - share) * next });
}

/** Zooms by buttons, by the keys + and −, by the wheel and by a pinch, and shows the panel on the whole screen. */
export function ChartZoom({ frame, chart }: ChartToolProps) {
  const zoomBy = (factor: number) => zoom(chart(), factor);
  useEffect(() => {
    const place = frame.current;
    if (!place) return;
    const ending = new AbortController();
    const { signal } = ending;
    // The wheel scrolls the page until the chart has the focus; a pinch on a touchpad comes with Ctrl.
    const onWheel = (event: WheelEvent) => {
      const isMeant =
        event.ctrlKey || document.activeElement === place || document.fullscreenElement !== null;
      if (!isMeant) return;
      event.preventDefault();
      const { left, width } = place.getBoundingClientRect();
      zoom(chart(), event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - left) / width);
    };
    const onKey = ({ key }: KeyboardEvent) => key in ZOOMS && zoomBy(ZOOMS[key] ?? 1);
    place.addEventListener("wheel", onWheel, { passive: false, signal });
    place.addEventListener("keydown", onKey, { signal });
    return () => ending.abort();
  }, []);
  const showWhole = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void frame.current?.closest(".panel")?.requestFullscreen();
  };
  return (
    <div class="chart-tools">
      <button type="button" class="quiet" aria-label={t("Zoom in")} onClick={() => zoomBy(1 / 1.5)}>
        +
      </button>
      <button type="button" class="quiet" aria-label={t("Zoom out")} onClick={() => zoomBy(1.5)}>
        −
      </button>
      <button type="button" class="quiet" aria-label={t("Full screen")} onClick={showWhole}>
        ⤢
      </button>
    </div>
  );
}
