import { describe, expect, test } from "bun:test";
import { PLANS } from "#access/plans.ts";
import { listSettings, listUnknownVariables, readConfig, SETTINGS } from "#config.ts";
import { RELEASES } from "#domain/program.ts";
import { hashSharedSettings } from "#service/shared-settings.ts";
import { expectError } from "./support/error.ts";

/** The example of rust-minisign-verify. */
const PUBLIC_KEY = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
const PROXY = { BOURSE_SIGN_IN_HEADER: "Remote-User" };
/** The releases that package.json declares, if it does. */
const DECLARED = RELEASES.url === "" ? null : RELEASES;

describe("config", () => {
  test("has the fallbacks without flags and environment", () => {
    expect(readConfig({}, {})).toEqual({
      host: "127.0.0.1",
      port: 8787,
      socket: null,
      dataFolder: "./bourse-data",
      cluster: null,
      trustedProxies: [],
      publicUrl: null,
      isDiscoverable: true,
      insecureSignIn: false,
      signIn: { proxy: null, provider: null, newUsers: "free", signOutUrl: null },
      gatePerMinute: 120,
      plans: PLANS,
      logFormat: "text",
      logLevel: "info",
      accessLog: false,
      backups: { everyMs: 24 * 3_600_000, keep: 7, folder: "./bourse-data/backups", command: null },
      exports: { everyMs: null, keep: 2, folder: "./bourse-data/exports" },
      alerts: { mail: null, networks: [] },
      updates: { isOn: false, server: DECLARED },
      metrics: null,
      market: "sample",
      contact: null,
      userAgent: null,
      sources: null,
      mirrors: [],
      mirrorOf: expect.any(Function),
      keyOf: expect.any(Function),
    });
  });

  const env = {
    BOURSE_HOST: "0.0.0.0",
    BOURSE_PORT: "9000",
    BOURSE_SOCKET: "/run/bourse/bourse.sock",
    BOURSE_SOCKET_MODE: "666",
    BOURSE_DATA: "/srv/bourse",
    BOURSE_CLUSTER: "postgres://bourse:secret@db.example.com:5432/bourse",
    BOURSE_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1,",
    BOURSE_PUBLIC_URL: "https://data.example.com/",
    BOURSE_DISCOVERY: "off",
    BOURSE_INSECURE_SIGN_IN: "true",
    BOURSE_SIGN_IN_HEADER: "Remote-User",
    BOURSE_SIGN_IN_PROXIES: "10.0.0.0/28, unix",
    BOURSE_OIDC_ISSUER: "https://auth.example.com/application/o/bourse/",
    BOURSE_OIDC_CLIENT: "bourse",
    BOURSE_OIDC_SECRET_FILE: "/run/secrets/bourse",
    BOURSE_OIDC_ALLOW: "@example.com, markets",
    BOURSE_NEW_USERS: "off",
    BOURSE_SIGN_OUT_URL: "https://auth.example.com/logout",
    BOURSE_GATE_PER_MINUTE: "0",
    BOURSE_PLAN_FREE: "10/5/2",
    BOURSE_PLAN_PRO: "20000/999/7",
    BOURSE_PLAN_MAX: "999999999/999999999/9999",
    BOURSE_MARKET: "live",
    BOURSE_CONTACT: "ops@example.com",
    BOURSE_USER_AGENT: "Mozilla/5.0 mine",
    BOURSE_SOURCES: "sec, yahoo",
    BOURSE_LOG: "json",
    BOURSE_LOG_LEVEL: "warn",
    BOURSE_ACCESS_LOG: "json",
    BOURSE_BACKUP_EVERY: "30m",
    BOURSE_BACKUP_KEEP: "30",
    BOURSE_BACKUP_FOLDER: "/mnt/backups",
    BOURSE_BACKUP_COMMAND: "/usr/local/bin/copy",
    BOURSE_EXPORT_EVERY: "12h",
    BOURSE_EXPORT_KEEP: "5",
    BOURSE_METRICS: "[::1]:9787",
    BOURSE_MAIL: "smtps://anna:se%2Fcret@mail.example.com",
    BOURSE_MAIL_FROM: "bourse@example.com",
    BOURSE_ALERT_NETWORKS: "192.168.1.0/24, fd00::/8, 10.0.0.7",
    BOURSE_UPDATES: "on",
    BOURSE_UPDATES_URL: "https://mirror.example.com/bourse/",
    BOURSE_UPDATES_KEY: PUBLIC_KEY,
  };

  test("takes every setting from the environment", () => {
    expect(Object.values(SETTINGS).map(({ variable }) => variable)).toEqual(
      Object.keys(env) as (typeof SETTINGS)[keyof typeof SETTINGS]["variable"][],
    );
    expect(readConfig({}, env)).toEqual({
      host: "0.0.0.0",
      port: 9000,
      socket: { path: "/run/bourse/bourse.sock", mode: 0o666 },
      dataFolder: "/srv/bourse",
      cluster: "postgres://bourse:secret@db.example.com:5432/bourse",
      trustedProxies: ["10.0.0.0/8", "192.0.2.1"],
      publicUrl: "https://data.example.com",
      isDiscoverable: false,
      insecureSignIn: true,
      signIn: {
        proxy: { header: "remote-user", proxies: ["10.0.0.0/28"], trustsSocket: true },
        provider: {
          issuer: "https://auth.example.com/application/o/bourse/",
          clientId: "bourse",
          secret: null,
          secretFile: "/run/secrets/bourse",
          allow: ["@example.com", "markets"],
        },
        newUsers: null,
        signOutUrl: "https://auth.example.com/logout",
      },
      gatePerMinute: 0,
      plans: {
        free: { daily: 10, hourly: 5, tokens: 2, lease: 1 },
        pro: { daily: 20_000, hourly: 999, tokens: 7, lease: 20 },
        max: { daily: 999_999_999, hourly: 999_999_999, tokens: 9_999, lease: 50 },
        unlimited: PLANS.unlimited,
      },
      logFormat: "json",
      logLevel: "warn",
      accessLog: true,
      backups: {
        everyMs: 1_800_000,
        keep: 30,
        folder: "/mnt/backups",
        command: "/usr/local/bin/copy",
      },
      exports: { everyMs: 43_200_000, keep: 5, folder: "/srv/bourse/exports" },
      alerts: {
        mail: {
          host: "mail.example.com",
          port: 465,
          isTls: true,
          user: "anna",
          password: "se/cret",
          from: "bourse@example.com",
        },
        networks: ["192.168.1.0/24", "fd00::/8", "10.0.0.7"],
      },
      updates: {
        isOn: true,
        server: { url: "https://mirror.example.com/bourse/", publicKey: PUBLIC_KEY },
      },
      metrics: { host: "::1", port: 9_787 },
      market: "live",
      contact: "ops@example.com",
      userAgent: "Mozilla/5.0 mine",
      sources: ["sec", "yahoo"],
      mirrors: [],
      mirrorOf: expect.any(Function),
      keyOf: expect.any(Function),
    });
  });

  test("takes every setting from a flag before the environment", () => {
    const flags = {
      host: "::1",
      port: "0",
      socket: "",
      "socket-mode": "600",
      data: "here",
      cluster: "",
      "trusted-proxies": "",
      "public-url": "http://nas:8787",
      discovery: "on",
      "insecure-sign-in": "false",
      "sign-in-header": "",
      "sign-in-proxies": "",
      "oidc-issuer": "http://localhost:9000",
      "oidc-client": "other",
      "oidc-secret-file": "",
      "oidc-allow": "",
      "new-users": "max",
      "sign-out-url": "",
      "gate-per-minute": "7",
      "plan-free": "1/1/1",
      "plan-pro": "5000/500/5",
      "plan-max": "50000/5000/20",
      market: "sample",
      contact: "",
      "user-agent": "",
      sources: "",
      log: "text",
      "log-level": "error",
      "access-log": "off",
      "backup-every": "0",
      "backup-keep": "1",
      "backup-folder": "",
      "backup-command": "",
      "export-every": "0",
      "export-keep": "1",
      metrics: "metrics.local:0",
      mail: "smtp://anna@example.com:secret@mail.example.com:2525",
      "mail-from": "",
      "alert-networks": "",
      updates: "off",
      "updates-url": "http://127.0.0.1:1/",
      "updates-key": PUBLIC_KEY,
    };
    expect(readConfig(flags, env)).toEqual({
      host: "::1",
      port: 0,
      socket: null,
      dataFolder: "here",
      cluster: null,
      trustedProxies: [],
      publicUrl: "http://nas:8787",
      isDiscoverable: true,
      insecureSignIn: false,
      signIn: {
        proxy: null,
        provider: {
          issuer: "http://localhost:9000",
          clientId: "other",
          secret: null,
          secretFile: null,
          allow: [],
        },
        newUsers: "max",
        signOutUrl: null,
      },
      gatePerMinute: 7,
      plans: {
        free: { daily: 1, hourly: 1, tokens: 1, lease: 1 },
        pro: PLANS.pro,
        max: PLANS.max,
        unlimited: PLANS.unlimited,
      },
      logFormat: "text",
      logLevel: "error",
      accessLog: false,
      backups: { everyMs: null, keep: 1, folder: "here/backups", command: null },
      exports: { everyMs: null, keep: 1, folder: "here/exports" },
      alerts: {
        mail: {
          host: "mail.example.com",
          port: 2525,
          isTls: false,
          user: "anna@example.com",
          password: "secret",
          from: "anna@example.com",
        },
        networks: [],
      },
      updates: { isOn: false, server: { url: "http://127.0.0.1:1/", publicKey: PUBLIC_KEY } },
      metrics: { host: "metrics.local", port: 0 },
      market: "sample",
      contact: null,
      userAgent: null,
      sources: null,
      mirrors: [],
      mirrorOf: expect.any(Function),
      keyOf: expect.any(Function),
    });
  });

  const oidc = {
    BOURSE_PUBLIC_URL: "https://data.example.com",
    BOURSE_OIDC_ISSUER: "https://auth.example.com",
    BOURSE_OIDC_CLIENT: "bourse",
    BOURSE_OIDC_SECRET: "secret",
  };

  test("has the secret of a provider only for the provider", () => {
    expect(readConfig({}, oidc).signIn.provider?.secret).toBe("secret");
    expect(JSON.stringify(listSettings({}, oidc))).not.toContain('"secret"');
    expect(listUnknownVariables(oidc)).toEqual([]);
  });

  test.each([
    ["no public URL", { BOURSE_PUBLIC_URL: "" }, "BOURSE_PUBLIC_URL"],
    ["no client", { BOURSE_OIDC_CLIENT: "" }, "BOURSE_OIDC_CLIENT"],
    ["no issuer", { BOURSE_OIDC_ISSUER: "" }, "BOURSE_OIDC_ISSUER"],
    ["two secrets", { BOURSE_OIDC_SECRET_FILE: "/run/secret" }, "BOURSE_OIDC_SECRET"],
    ["a public provider", { BOURSE_OIDC_ISSUER: "https://accounts.google.com" }, "@example.com"],
    ["its name with a point", { BOURSE_OIDC_ISSUER: "https://accounts.google.com./" }, "@example"],
    ["a public path", { BOURSE_OIDC_ISSUER: "https://id.twitch.tv/oauth2" }, "@example.com"],
    [
      "personal accounts beside other ones",
      {
        BOURSE_OIDC_ISSUER:
          "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
      },
      "@example.com",
    ],
    ["a header from anyone", { BOURSE_SIGN_IN_HEADER: "Remote-User" }, "BOURSE_SIGN_IN_PROXIES"],
    ["a proxy everywhere", { ...PROXY, BOURSE_SIGN_IN_PROXIES: "10.0.0.1,::/0" }, "::/0"],
    ["a socket that is not set", { ...PROXY, BOURSE_SIGN_IN_PROXIES: "unix" }, "BOURSE_SOCKET"],
  ])("refuses sign-in elsewhere with %s", async (_, env, words) => {
    const read = () => readConfig({}, { ...oidc, ...env });
    expect((await expectError(read, "invalid_argument")).message).toContain(words);
  });

  test.each([
    ["https://data.example.com", "https://data.example.com"],
    ["https://home.example:8443/", "https://home.example:8443"],
    ["https://home.example/bourse/", "https://home.example/bourse"],
    ["https://home.example/apis/feeds", "https://home.example/apis/feeds"],
    ["http://nas/apps/bourse-1", "http://nas/apps/bourse-1"],
  ])("reads the public URL %s", (text, url) => {
    expect(readConfig({ "public-url": text }, {}).publicUrl).toBe(url);
  });

  test("reads mirrors and keys of sources by their names", () => {
    const config = readConfig(
      {},
      { BOURSE_SOURCE_URL_NASDAQ_CALENDAR: "http://127.0.0.1:9", KEY: "k" },
    );
    expect(config.mirrorOf("nasdaq-calendar")).toBe("http://127.0.0.1:9");
    expect(config.mirrorOf("sec")).toBeNull();
    expect([config.keyOf("KEY"), config.keyOf("NONE")]).toEqual(["k", null]);
  });

  test("treats an empty variable as not set", () => {
    const empty = Object.fromEntries(Object.keys(env).map((name) => [name, ""]));
    // As text, because its functions are new objects each time.
    expect(JSON.stringify(readConfig({}, empty))).toBe(JSON.stringify(readConfig({}, {})));
  });

  test("finds variables that look like settings but are not", () => {
    const misspelt = { BOURSE_PRT: "1", BOURSE_WORKERS: "2" };
    const others = {
      BOURSE_URL: "http://127.0.0.1:8787",
      BOURSE_SOURCE_URL_SEC: "http://127.0.0.1:9",
      BOURSE_EMPTY: "",
      HOME: "/",
    };
    expect(listUnknownVariables({ ...env, ...misspelt, ...others })).toEqual([
      "BOURSE_PRT",
      "BOURSE_WORKERS",
    ]);
  });

  test("cannot be changed", () => {
    expect(Object.isFrozen(readConfig({}, {}))).toBe(true);
  });

  test.each([
    ["port", "65536"],
    ["port", "-1"],
    ["port", "80.5"],
    ["port", "1e3"],
    ["port", "8 0"],
    ["port", ""],
    ["port", "http"],
    ["port", "99999999999999999999"],
    ["gate-per-minute", "100000001"],
    ["sources", ","],
    ["gate-per-minute", "-1"],
    ["gate-per-minute", "off"],
    ["plan-free", "100"],
    ["plan-free", "100/30"],
    ["plan-pro", "0/500/5"],
    ["plan-pro", "5000/500/0"],
    ["plan-max", "-1/5000/20"],
    ["plan-max", "50_000/5000/20"],
    ["plan-max", "unlimited"],
    ["plan-max", ""],
    ["public-url", "data.example.com"],
    ["public-url", "ftp://data.example.com"],
    ["public-url", "https://data.example.com/console"],
    ["public-url", "https://data.example.com/api/bourse"],
    ["public-url", "https://data.example.com/docs"],
    ["public-url", "https://data.example.com/.well-known/bourse"],
    ["public-url", "https://data.example.com/a//b"],
    ["public-url", "https://data.example.com/%62"],
    ["public-url", "https://data.example.com/a'b"],
    ["public-url", "https://user@data.example.com"],
    ["public-url", "https://data.example.com/?a=1"],
    ["insecure-sign-in", "yes"],
    ["sign-in-header", "Remote User"],
    ["sign-in-header", "X-Forwarded-For"],
    ["sign-in-header", "Authorization"],
    ["sign-in-header", "X-API-Key"],
    ["sign-in-header", "X-Real-IP"],
    ["oidc-issuer", "auth.example.com"],
    ["oidc-issuer", "http://auth.example.com"],
    ["oidc-issuer", "https://anna@auth.example.com"],
    ["new-users", "unlimitd"],
    ["sign-out-url", "auth.example.com/logout"],
    ["log", "JSON"],
    ["log", "yaml"],
    ["host", ""],
    ["data", ""],
    ["log-level", "debug"],
    ["access-log", "text"],
    ["backup-every", "24"],
    ["backup-every", "-1h"],
    ["backup-every", "1w"],
    ["backup-every", ""],
    ["backup-keep", "0"],
    ["backup-keep", "1001"],
    ["metrics", "9787"],
    ["metrics", "127.0.0.1"],
    ["metrics", "::1:9787"],
    ["metrics", "127.0.0.1:65536"],
    ["metrics", "http://127.0.0.1:9787"],
    ["metrics", "unix:metrics.sock"],
    ["socket", "bourse.sock"],
    ["socket", "/run/bourse/"],
    ["socket", `/run/${"é".repeat(52)}`],
    ["socket-mode", "rw"],
    ["socket-mode", "880"],
    ["socket-mode", ""],
    ["updates", "daily"],
    ["updates-url", "releases.example.com"],
    ["updates-url", "file:///srv/releases"],
    ["updates-key", PUBLIC_KEY.slice(1)],
    ["mail", "mail.example.com"],
    ["mail", "smtp://"],
    ["mail", "https://anna:secret@mail.example.com"],
    ["mail", "smtp://anna:secret/x@mail.example.com"],
    ["mail", "smtp://anna:secret#@mail.example.com"],
    ["mail", "smtp://anna:secret%zz@mail.example.com"],
    ["mail", "smtp://anna:secret x@mail.example.com"],
    ["mail", "smtp://anna@mail.example.com"],
    ["mail", "smtp://mail.example.com/?secret"],
    ["mail-from", "bourse"],
    ["mail-from", "bourse <bourse@example.com>"],
    ["mail-from", "a@example.com,b@example.com"],
    ["alert-networks", "nas.local"],
    ["alert-networks", "192.168.1.0/33"],
    ["alert-networks", "192.168.1.0/24/1"],
    ["cluster", "db.example.com/bourse"],
    ["cluster", "https://bourse:secret@db.example.com/bourse"],
    ["cluster", "postgres://bourse:secret@db.example.com"],
    ["cluster", "postgres://bourse:secret@/bourse"],
    ["cluster", "postgres://bourse:secret secret@db.example.com/bourse"],
  ] as const)("refuses --%s %j and names the flag and its variable", async (name, value) => {
    const { message } = await expectError(
      () => readConfig({ [name]: value }, {}),
      "invalid_argument",
    );
    expect(message).toContain(`${SETTINGS[name].variable} (--${name})`);
    expect(message).not.toContain("\n");
    expect(message).not.toContain("secret");
  });

  test.each([
    [{ BOURSE_NEW_USERS: "gold" }, 'must be one of free, pro, max, unlimited, off, not "gold".'],
    [{ BOURSE_SIGN_IN_PROXIES: "10.0.0.2" }, "must be set, because BOURSE_SIGN_IN_PROXIES is."],
    [{ BOURSE_PUBLIC_URL: "nas:8787" }, "must begin with http:// or https:// and have a host"],
    [{ BOURSE_PUBLIC_URL: "https://nas/docs" }, "must have a path that bourse does not use itself"],
  ])("says what %j must be", async (env, sentence) => {
    const { message } = await expectError(() => readConfig({}, env), "invalid_argument");
    expect(message).toContain(sentence);
  });

  test("needs a sender of mail if the server has no user that is an address", async () => {
    for (const url of ["smtp://relay", "smtp://anna:secret@mail.example.com"]) {
      const read = () => readConfig({}, { BOURSE_MAIL: url });
      const { message } = await expectError(read, "invalid_argument");
      expect(message).toBe(
        "BOURSE_MAIL_FROM (--mail-from) must be set, because the user of the mail server is no mail address.",
      );
    }
    const { alerts } = readConfig(
      {},
      { BOURSE_MAIL: "smtp://[::1]", BOURSE_MAIL_FROM: "b@example.com" },
    );
    expect(alerts.mail).toMatchObject({ host: "::1", port: 587, user: null, password: null });
  });

  test.skipIf(DECLARED !== null)(
    "asks for newer versions only with an address and a key",
    async () => {
      const URL_SETTING = { BOURSE_UPDATES_URL: "https://releases.example.com" };
      for (const [env, missing] of [
        [{}, "the address"],
        [{ BOURSE_UPDATES_KEY: PUBLIC_KEY }, "the address"],
        [URL_SETTING, "the public key"],
      ] as const) {
        const read = () => readConfig({}, { BOURSE_UPDATES: "on", ...env });
        const { message } = await expectError(read, "invalid_argument");
        expect(message).toBe(
          `BOURSE_UPDATES (--updates) is on, but ${missing} of the releases is not known: set BOURSE_UPDATES_URL and BOURSE_UPDATES_KEY, or switch it off.`,
        );
        expect(readConfig({}, env).updates).toEqual({ isOn: false, server: null });
      }
    },
  );

  test.each([
    [" postgres://bourse:secret@db.example.com/bourse"],
    ["\npostgres://bourse:secret@db.example.com/bourse\n"],
  ])("takes %j without the spaces and line breaks around it", (text) => {
    const url = "postgres://bourse:secret@db.example.com/bourse";
    for (const config of [
      readConfig({ cluster: text }, {}),
      readConfig({}, { BOURSE_CLUSTER: text }),
      readConfig({}, {}, { cluster: text }),
    ])
      expect(config.cluster).toBe(url);
    expect(listSettings({}, { BOURSE_CLUSTER: text })["BOURSE_CLUSTER"]).toBe(url);
    expect(readConfig({}, { BOURSE_PORT: " 1 \n" }).port).toBe(1);
    const { keyOf, mirrorOf } = readConfig(
      {},
      { KEY: " k\n", BOURSE_SOURCE_URL_SEC: " https://m " },
    );
    expect([keyOf("KEY"), mirrorOf("sec")]).toEqual(["k", "https://m"]);
  });

  test("a refused value is shown without a password", async () => {
    const { message } = await expectError(
      () => readConfig({}, { BOURSE_PUBLIC_URL: "https://me:secret@data.example.com" }),
      "invalid_argument",
    );
    expect(message).toContain('not "https://…@data.example.com"');
  });

  test("lists the effective text of every setting by its variable", () => {
    const listed = listSettings({ port: "0" }, { BOURSE_HOST: "::1", BOURSE_PORT: "1", HOME: "/" });
    expect(listed).toMatchObject({ BOURSE_PORT: "0", BOURSE_HOST: "::1", BOURSE_LOG: "text" });
    expect(Object.keys(listed)).toEqual(Object.keys(env));
  });

  test("takes the largest port", () => {
    expect(readConfig({ port: "65535" }, {}).port).toBe(65_535);
  });
});

test("nodes compare where alerts may go, without a hash of the password", () => {
  const of = (env: Record<string, string>) => hashSharedSettings(readConfig({}, env));
  const mail = (password: string, host = "m.example") => ({
    BOURSE_MAIL: `smtps://anna%40m.example:${password}@${host}`,
  });
  const { mail: one } = of(mail("a"));
  expect(of(mail("b"))["mail"]).toBe(one);
  for (const other of [
    {},
    mail("a", "n.example"),
    { BOURSE_MAIL: "smtp://m.example", BOURSE_MAIL_FROM: "a@b.example" },
  ])
    expect(of(other)["mail"]).not.toBe(one);
  const networks = (text: string) => of({ BOURSE_ALERT_NETWORKS: text })["alert-networks"];
  expect(networks("10.0.0.1,10.0.0.2")).toBe(networks("10.0.0.2,10.0.0.1"));
  expect(networks("10.0.0.1")).not.toBe(networks(""));
});
