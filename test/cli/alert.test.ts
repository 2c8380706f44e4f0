import { expect, test } from "bun:test";
import { openFolder } from "../support/access.ts";
import { findDocument } from "#store/user-documents.ts";
import { openAccess } from "#store/index.ts";
import { runOn, runWith } from "../support/cli.ts";
import { copySampleMarket } from "../support/service.ts";

test("alerts and channels of a user are saved, shown and deleted", async () => {
  using folder = openFolder();
  copySampleMarket(folder.path);
  const run = (...argv: string[]) => runOn(folder.path, ...argv);
  const json = async (...argv: string[]) =>
    JSON.parse((await run(...argv, "--json")).stdout) as unknown;
  await run("user", "add", "anna");
  const hook = ["--kind", "webhook", "--url", "https://hooks.example/secret-path"];
  const { stdout } = await run("channel", "save", "Robot", ...hook);
  expect(stdout).toMatch(/^Its secret, shown once: whsec_[\w+/=]{40,}\n$/);
  expect(await json("channel", "list")).toEqual([
    { name: "robot", kind: "webhook", where: "hooks.example" },
  ]);
  const again = await run("channel", "save", "robot", ...hook);
  expect([again.stdout, again.stderr]).toEqual([
    "",
    "Saved the channel robot of anna with its earlier secret.\n",
  ]);
  const rule = ["--watch", "US:AAPL", "--when", "price < 1"];
  expect(await json("alert", "save", "Cheap Apple", ...rule)).toMatchObject({
    name: "cheap-apple",
    when: "price<1",
    to: ["robot"],
  });
  await run("alert", "save", "cheap-apple", "--paused", "yes", "--to", "none");
  expect(await json("alert", "list", "--user", "anna")).toMatchObject([
    { name: "cheap-apple", watch: "US:AAPL", paused: true, to: [], repeat: "once" },
  ]);
  const wrong = await run("alert", "save", "cheap-apple", "--when", "prise<1");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("price")]);
  const never = await run("alert", "save", "cheap-apple", "--when", "rsi>100");
  expect(never.stderr).toContain("rsi>100 can never hold");
  const plain = await run("channel", "save", "x", "--kind", "webhook", "--url", "http://1.1.1.1/");
  expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining("https")]);
  const topic = ["phone", "--kind", "ntfy", "--url", "https://ntfy.example/t", "--secret"];
  const typed = async (input: string, secret: string) => {
    const stdin = async function* () {
      yield Buffer.from(input);
    };
    const argv = ["channel", "save", ...topic, secret];
    const { code, stderr } = await runWith({ stdin }, { BOURSE_DATA: folder.path }, ...argv);
    return [code, stderr];
  };
  expect(await typed("tk_1\r\nmore\n", "-")).toEqual([0, "Saved the channel phone of anna.\n"]);
  const storedPhone = () => {
    const access = openAccess(folder.path);
    const stored = access.run(findDocument("anna", { kind: "channel", name: "phone" }));
    access.close();
    return JSON.parse(stored?.json ?? "") as unknown;
  };
  expect(storedPhone()).toMatchObject({ secret: "tk_1" });
  const moved = ["--kind", "ntfy", "--url", "https://ntfy.example/other"];
  await run("channel", "save", "phone", ...moved);
  expect(storedPhone()).toMatchObject({ url: "https://ntfy.example/other", secret: "tk_1" });
  // Another kind has another secret.
  const asHook = await run("channel", "save", "phone", ...hook);
  expect(asHook.stdout).toContain("Its secret, shown once: whsec_");
  expect(await typed("", "-")).toEqual([1, expect.stringContaining("The secret is empty")]);
  const shown = await typed("", "tk_1");
  expect(shown).toEqual([1, expect.stringContaining("channel save phone --secret - < FILE")]);
  expect(shown[1]).not.toContain("tk_1");
  expect((await run("channel", "delete", "robot")).stderr).toContain("Deleted the channel robot");
  expect((await run("alert", "delete", "cheap-apple")).stderr).toContain("Deleted the alert");
  expect((await run("alert", "list")).stdout).toContain("has no alert yet");
  expect((await run("alert", "list", "--user", "carl")).stderr).toContain("no user carl");
});
