import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMarket } from "#store/index.ts";
import { type Case, createCases, HOT_LARGE, HOT_SMALL, readyAnswer, TOOLS_CALL } from "./cases.ts";
import {
  type Contender,
  copyOfData,
  PEERS,
  type Prepared,
  PROGRAM_NAMES,
  startFloor,
  startPeer,
  startProgram,
} from "./contenders.ts";
import type { ReadyAnswer } from "./floor.ts";
import type { Report } from "./report.ts";
import { listInstruments } from "../support/market.ts";

/** The running contenders of the cases over HTTP. */
export interface Stage {
  readonly cases: readonly Case[];
  /** The service's answers, in the order of the cases. */
  readonly answers: readonly ReadyAnswer[];
  /** The available contenders of a case, the floor first. */
  contendersOf(one: Case): [Contender, ...Contender[]];
  /** The service from its source, and as the binary. */
  readonly programs: readonly Contender[];
  /** Throws if a contender's answer to a case differs from the service's. */
  check(one: Case): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service, then the floor and the peers with the service's answers. */
export async function openStage(
  prepared: Prepared,
  options: { withPeers: boolean },
  report: Report,
): Promise<Stage> {
  const running: Contender[] = [];
  const stop = async () => {
    for (const contender of running.splice(0)) await contender.stop();
  };
  const started = <T extends Contender>(contender: T): T => {
    running.push(contender);
    return contender;
  };
  try {
    const programs: Contender[] = [];
    for (const name of PROGRAM_NAMES) {
      programs.push(started(await startProgram(name, copyOfData(prepared, name))));
    }
    const [service] = programs;
    if (!service) throw new Error("there is no program to measure");

    const [token = ""] = prepared.takeFresh(1);
    const tokenOf = ({ tokens }: Case) =>
      tokens === "free" ? prepared.free : tokens === "unknown" ? prepared.unknown : token;
    const symbols = listSymbols(prepared);
    const answersTo = async (cases: readonly Case[]) => {
      const answers: ReadyAnswer[] = [];
      for (const [i, one] of cases.entries()) {
        answers.push(await readyAnswer(service, i, one, tokenOf(one)));
      }
      return answers;
    };
    const [small] = await answersTo(createCases(symbols, "").slice(0, 1));
    const cases = createCases(symbols, small?.headers["etag"] ?? "");
    const answers = await answersTo(cases);
    const floor = await startFloor(prepared, answers);
    started(floor.bare);

    let peers: Peers = { rest: [], mcp: [] };
    if (options.withPeers) {
      writePeersAnswers(prepared.folder, cases, answers, await listTools(service, token));
      peers = await startPeers(prepared, report);
      running.push(...peers.rest, ...peers.mcp);
    }

    const contendersOf: Stage["contendersOf"] = ({ hasHeadedFloor, peers: kind }) => [
      floor.bare,
      ...(hasHeadedFloor ? [floor.headed] : []),
      ...programs,
      ...(kind === null ? [] : peers[kind]),
    ];
    return {
      cases,
      answers,
      programs,
      contendersOf,
      async check(one) {
        const number = cases.indexOf(one);
        for (const contender of contendersOf(one)) {
          const { body } = await readyAnswer(contender, number, one, tokenOf(one));
          // MCP peers list tools without output schemas, so half of the length is enough.
          const least = one.status === 200 ? (answers[number]?.body.length ?? 0) / 2 : 0;
          if (body.length < least) throw new Error(`${contender.name} answers ${body}`);
        }
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Peers = Readonly<Record<keyof typeof PEERS, Contender[]>>;

/** Starts the peers; one that fails is left out, and the report says why. */
async function startPeers(prepared: Prepared, report: Report): Promise<Peers> {
  const peers: Peers = { rest: [], mcp: [] };
  for (const kind of ["rest", "mcp"] as const) {
    for (const [name, runtime] of Object.entries(PEERS[kind])) {
      try {
        peers[kind].push(await startPeer(prepared, name, runtime));
      } catch (error) {
        report.note(name, String(error));
      }
    }
  }
  return peers;
}

/** US stocks with histories that are long enough for the case of many keys. */
function listSymbols({ data }: Prepared): string[] {
  const market = openMarket(data);
  const long = listInstruments(market, "US").filter(
    ({ id, assetType }) => assetType === "stock" && market.bars.count(id) > 2_500,
  );
  market.close();
  return long.map(({ symbol }) => symbol);
}

/** The tools of the service, as MCP lists them. */
async function listTools(service: Contender, token: string): Promise<unknown> {
  const response = await fetch(`${service.originOf(0)}/api/v1/svc/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  return ((await response.json()) as { result: { tools: unknown } }).result.tools;
}

/** Writes the answers for the peers: bodies by path, with all headers except those of quotas. */
function writePeersAnswers(
  folder: string,
  cases: readonly Case[],
  answers: readonly ReadyAnswer[],
  tools: unknown,
): void {
  const answerTo = (name: string) => {
    const number = cases.findIndex((one) => one.name === name);
    const answer = answers[number];
    if (!answer) throw new Error(`there is no answer to ${name}`);
    return { path: cases[number]?.request.paths[0] ?? "", ...answer };
  };
  const rest = [HOT_SMALL, HOT_LARGE].map(answerTo).map(({ path, headers, body }) => {
    const constant = Object.entries(headers).filter(([name]) => !name.includes("ratelimit"));
    return [path, { headers: Object.fromEntries(constant), body }] as const;
  });
  const { result } = JSON.parse(answerTo(TOOLS_CALL).body) as { result: unknown };
  writeFileSync(
    join(folder, "answers.json"),
    JSON.stringify({ rest: Object.fromEntries(rest), mcp: { tools, result } }),
  );
}
