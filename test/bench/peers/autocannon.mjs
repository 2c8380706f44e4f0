// The load for autocannon, used without wrk: node autocannon.mjs FILE (see load.ts).
import { readFileSync } from "node:fs";
import autocannon from "autocannon";

const { origin, load, seconds, rate, connections } = JSON.parse(
  readFileSync(process.argv[2], "utf8"),
);
const { method, paths, tokens, callsPerToken, headers, body } = load;
let calls = 0;

const result = await autocannon({
  url: origin,
  connections,
  duration: seconds,
  ...(rate !== undefined && { overallRate: Math.round(rate) }),
  requests: [
    {
      method,
      path: paths[0],
      headers,
      ...(body !== "" && { body }),
      setupRequest(request) {
        const token = tokens[Math.floor(calls / callsPerToken) % tokens.length];
        const path = paths[calls % paths.length];
        calls++;
        return { ...request, path, headers: { ...headers, authorization: `Bearer ${token}` } };
      },
    },
  ],
});
console.log(
  JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    refused: result["4xx"] + result["5xx"],
    broken: result.errors,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }),
);
