// The reference for the first answer: a bare `Bun.serve`, compiled with the flags of the service.
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["BOURSE_PORT"]),
  development: false,
  fetch: () => new Response("{}"),
});
process.once("SIGTERM", () => process.exit(0));
