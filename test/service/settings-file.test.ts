import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBackup, writeBackup } from "#service/backup-archive.ts";
import { readSettingsFile, withoutSecrets } from "#service/settings-file.ts";
import { listSettings } from "#config.ts";
import { openTestAccess } from "../support/access.ts";

const URL = "postgres://bourse:sesame@db.example.com/bourse";
const START = Date.parse("2026-11-20T17:30:00Z");

/** Every form in which TOML writes a text, and the list that `bourse.toml` accepts too. */
const FORMS: readonly (readonly [string, string])[] = [
  ["a basic string", `cluster = "${URL}"`],
  ["a literal string", `cluster='${URL}' # the database`],
  ["a quoted key", `"cluster" = "${URL}"`],
  ["an escaped key", `"clu\\u0073ter" = "${URL}"`],
  ["a multi-line string", `cluster = """\n${URL}"""`],
  ["a multi-line string with a line break in the URL", `cluster = """\\\n  ${URL}\\\n  """`],
  ["a multi-line literal string", `cluster = '''\n${URL}\n'''`],
  ["escaped characters", `cluster = "postgres://bourse:\\u0073esame@db.example.com/bourse"`],
  ["a list over several lines", `cluster = [\n  "${URL}",\n]`],
];

describe("a backup of a folder whose bourse.toml has the password of a database as", () => {
  test.each(FORMS)("%s does not have the password", async (_, line) => {
    using home = openTestAccess();
    const toml = `# sesame\nport = 9000\n${line}\nsources = ["sec",\n "fred"]\ncontact = 'a "b" \\c'\n`;
    writeFileSync(join(home.folder, "bourse.toml"), toml);
    const settings = readSettingsFile(home.folder);
    // The setting is understood, so that hiding it is what this test sees.
    expect(settings.cluster?.trim()).toBe(URL);

    const archive = join(home.folder, "a.tar.gz");
    await writeBackup({
      dataFolder: home.folder,
      file: archive,
      withMarket: false,
      settings: listSettings({}, {}, settings),
      now: START,
    });
    const all = Bun.gunzipSync(new Uint8Array(readFileSync(archive)));
    expect(Buffer.from(all).includes("sesame")).toBe(false);

    const into = join(home.folder, "restored");
    await readBackup(archive, into);
    const { cluster: __, ...others } = settings;
    expect(readSettingsFile(into)).toEqual(others);
  });
});

test("a backup has no setting with a secret, and no comment with one", () => {
  const text = `# curl -u anna:secret\nport = 9000\nbackup-command = "rclone --password secret copy"\nupdates-url = "https://a:secret@dl.example.com/bourse"\n`;
  expect(withoutSecrets(text)).toBe("port = 9000\n");
  expect(withoutSecrets("# curl -u anna:secret\nport = 9000\n")).toBe("port = 9000\n");
});

test("a bourse.toml without a secret is kept to the letter", () => {
  const text = "# ours, ask ops@example.com\nport = 9000 # not 80\n\ncontact = 'ops@example.com'\n";
  expect(withoutSecrets(text)).toBe(text);
});

test.each([`# cluster = "${URL}"`, `# psql 'postgres://db/bourse?user=b&password=secret'`])(
  "a comment with a password is left out: %s",
  (comment) => {
    expect(withoutSecrets(`port = 9000\n${comment}\n`)).toBe("port = 9000\n");
  },
);
