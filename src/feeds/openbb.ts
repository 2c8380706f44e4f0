import { type FeedBody, type FeedLayer, type FeedRequest, jsonBody } from "./layer.ts";
import { type Column, COUNTRY, SYMBOL, type Widget, WIDGETS } from "./openbb-widgets.ts";
import { udf } from "./udf.ts";

/** The path of the charting library's data feed. */
const CHART = "chart/";

/** Sectors have the same names in all countries. */
const ANY_COUNTRY = "US";

/** The tabs of the app: the widgets of each, side by side where two fit into the 40 columns. */
const TABS = {
  Markets: ["quotes", "screen", "sectors", "releases", "earnings"],
  Company: ["figures", "chart", "history", "statements"],
} as const;

/** A backend of OpenBB Workspace: widgets, an app with them, and the data of both. */
export const openbb: FeedLayer = {
  name: "openbb",
  title: "OpenBB Workspace",
  routes: {
    "/widgets.json": () => Promise.resolve(jsonBody(listWidgets())),
    "/apps.json": () => Promise.resolve(jsonBody([createApp()])),
    "/sector-names": answerSectorNames,
    ...Object.fromEntries(
      Object.entries(WIDGETS).flatMap(([id, { answer }]) =>
        answer
          ? [[`/${id}`, async (request: FeedRequest) => jsonBody(await answer(request))] as const]
          : [],
      ),
    ),
    ...Object.fromEntries(
      Object.entries(udf.routes).map(([path, route]) => [`/${CHART}${path.slice(1)}`, route]),
    ),
  },
  fail: (error, status, request) =>
    request.path.startsWith(CHART)
      ? udf.fail(error, status, request)
      : jsonBody({ detail: [error.message, error.details.hint].filter(Boolean).join(" ") }, status),
};

function listWidgets(): object {
  const entries = Object.entries(WIDGETS).map(([id, widget]) => [id, toDescription(id, widget)]);
  return Object.fromEntries(entries);
}

function toDescription(id: string, widget: Widget): object {
  const { name, description, category, type, gridData, params, columns } = widget;
  const data = columns
    ? { table: { showAll: true, columnsDefs: columns.map(toColumn) } }
    : widget.data;
  return {
    name,
    description,
    category,
    type,
    endpoint: id,
    source: "bourse",
    gridData,
    params,
    data,
  };
}

function toColumn([field, headerName, kind]: Column, index: number): object {
  return {
    field,
    headerName,
    cellDataType: kind === undefined ? "text" : "number",
    formatterFn: kind === undefined || kind === "number" ? "none" : kind,
    chartDataType: kind === undefined ? "category" : "series",
    ...(kind === "percent" && { renderFn: "greenRed" }),
    ...(index === 0 && { pinned: "left" }),
  };
}

function createApp(): object {
  const tabs = Object.entries(TABS).map(([name, ids]) => {
    const id = name.toLowerCase();
    return [id, { id, name, layout: layOut(ids) }] as const;
  });
  return {
    name: "bourse",
    description:
      "Companies, sectors and economies of the United States, Japan and Viet Nam. Agents get the same data from the MCP server of this service, at /api/v1/svc/mcp.",
    img: "",
    img_dark: "",
    img_light: "",
    allowCustomization: true,
    tabs: Object.fromEntries(tabs),
    groups: [
      {
        name: "Symbol",
        type: "param",
        paramName: SYMBOL.paramName,
        defaultValue: SYMBOL.value,
        widgetIds: idsWith(SYMBOL.paramName),
      },
      {
        name: "Country",
        type: "param",
        paramName: COUNTRY.paramName,
        defaultValue: COUNTRY.value,
        widgetIds: idsWith(COUNTRY.paramName),
      },
    ],
    prompts: ["Compare Apple, Microsoft and Nvidia by valuation."],
  };
}

const idsWith = (name: string) =>
  Object.entries(WIDGETS).flatMap(([id, { params }]) =>
    params?.some(({ paramName }) => paramName === name) ? [id] : [],
  );

/** The places of widgets, row by row. */
function layOut(ids: readonly string[]): object[] {
  let [x, y, height] = [0, 0, 0];
  return ids.map((id) => {
    const { w, h } = (WIDGETS[id] as Widget).gridData;
    if (x + w > 40) [x, y, height] = [0, y + height, 0];
    const place = { i: id, x, y, w, h };
    [x, height] = [x + w, Math.max(height, h)];
    return place;
  });
}

/** The sectors as choices. */
async function answerSectorNames({ call }: FeedRequest): Promise<FeedBody> {
  const { sectors } = await call("get_sectors", { country: ANY_COUNTRY });
  const choices = Object.values(sectors).map(({ name, slug }) => ({ label: name, value: slug }));
  return jsonBody([{ label: "All", value: "" }, ...choices]);
}
