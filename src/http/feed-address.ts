import { notFound } from "#domain/errors.ts";
import type { OwnDocuments } from "#domain/user-documents.ts";
import { listNameOf } from "#domain/user-list.ts";
import { findLayer, LAYER_NAMES } from "#feeds/index.ts";
import type { FeedLayer, FeedRequest, FeedRoute } from "#feeds/layer.ts";
import { expandSymbols } from "#operations/portfolio/list-references.ts";

/** Where clients of the layers put their key, in lower case. */
const QUERY_KEYS = new Set(["apikey", "api_key", "api_token", "token", "access_token"]);
/** A route and what its path names. */
export interface FoundRoute {
  readonly route: FeedRoute;
  readonly path: FeedRequest["path"];
}

/** A URL below `/feed/`, split into its parts. */
export interface FeedAddress {
  readonly layer: FeedLayer;
  /** The segments behind the layer. */
  readonly segments: readonly string[];
  /** Without the secret. */
  readonly query: URLSearchParams;
  /** The secret in the path or the query; null if there is none. */
  readonly secret: string | null;
  /** What answers it by method; null if the path is unknown there. */
  readonly read: FoundRoute | null;
  readonly post: FoundRoute | null;
  /** The layer, path and query. */
  readonly key: string;
  /** True if the query names a list of the user: `symbols=list:semis` or `list=semis`. */
  readonly namesList: boolean;
}

/** The parts of a URL below `/feed/`. @throws BourseError `not_found` if there is no such layer */
export function readAddress({ url }: Request, path: string): FeedAddress {
  const parts = path.split("/").map(decodeSegment);
  const inPath = parts[0]?.startsWith("bourse_") ? (parts.shift() ?? "") : null;
  // Some clients end their paths with a slash.
  while (parts.length > 1 && parts.at(-1) === "") parts.pop();
  const [name = "", ...segments] = parts;
  // `/prices/` is `/prices`.
  if (segments.at(-1) === "") segments.pop();
  const layer = findLayer(name);
  if (!layer) {
    throw notFound("There is no such feed.", {
      hint: `The feeds are ${LAYER_NAMES.join(", ")}: /feed/LINK/${LAYER_NAMES[0]}/…`,
    });
  }
  const mark = url.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark).replace(/#.*/, ""));
  const keys = [...new Set(query.keys())].filter((key) => QUERY_KEYS.has(key.toLowerCase()));
  const inQuery = keys.map((key) => query.get(key)).find((value) => value !== "") ?? null;
  for (const key of keys) query.delete(key);
  query.sort();
  // A segment can have a slash of its own, which must not give it the body of another path.
  const key = `${name}/${segments.map(encodeURIComponent).join("/")}?${query.toString()}`;
  const read = matchRoute(layer.routes, segments);
  const post = matchRoute(layer.posts ?? {}, segments);
  const namesList = query.has("list") || query.values().some(hasList);
  return { layer, segments, query, secret: inPath ?? inQuery, read, post, key, namesList };
}

/**
 * The query with symbols in the place of the user's lists. `list=semis` is `list:semis` as the symbols of the layer.
 *
 * @throws BourseError `not_found` for an unknown list
 */
export async function withListsOf(
  { layer, query }: FeedAddress,
  own: OwnDocuments,
): Promise<URLSearchParams> {
  const listed = new URLSearchParams(query);
  const name = listed.get("list");
  if (name !== null) {
    listed.delete("list");
    const parameter = layer.names?.["symbols"]?.[0] ?? "symbols";
    const before = listed.get(parameter);
    listed.set(parameter, [...(before ? [before] : []), `list:${name}`].join(","));
  }
  for (const [parameter, value] of listed) {
    if (hasList(value)) listed.set(parameter, await expandSymbols(value, own));
  }
  return listed;
}

/** True if an item of a list of symbols is a list of the user. */
const hasList = (value: string): boolean =>
  value.split(",").some((item) => listNameOf(item) !== null);

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function matchRoute(routes: FeedLayer["routes"], segments: readonly string[]): FoundRoute | null {
  for (const [pattern, route] of Object.entries(routes)) {
    // The path `/` is the layer alone.
    const path = matchPath(pattern.split("/").slice(pattern === "/" ? 2 : 1), segments);
    if (path) return { route, path };
  }
  return null;
}

/** The segments that the pattern names; null if the path is another one. */
function matchPath(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const path: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const segment = segments[i] ?? "";
    if (!part.startsWith(":")) {
      if (part !== segment) return null;
    } else if (segment === "") return null;
    else path[part.slice(1)] = segment;
  }
  return path;
}
