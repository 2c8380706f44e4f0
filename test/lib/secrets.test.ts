import { expect, test } from "bun:test";
import { hideSecrets, hideSettingSecrets } from "#lib/secrets.ts";

test.each([
  ["postgres://bourse:secret@db.example.com/bourse", "postgres://…@db.example.com/bourse"],
  ["postgresql://bourse@db.example.com/bourse", "postgresql://…@db.example.com/bourse"],
  ["postgres://b:a@b@db.example.com/bourse", "postgres://…@db.example.com/bourse"],
  ["postgres://b:a/b@db.example.com/bourse", "postgres://…@db.example.com/bourse"],
  ["postgres://db.example.com/bourse?user=a&password=b", "postgres://db.example.com/bourse?…"],
  [" \tpostgres://b:secret@db.example.com/bourse\n", " \tpostgres://…@db.example.com/bourse\n"],
  ["jdbc:postgresql://b:secret@db/bourse", "jdbc:postgresql://…@db/bourse"],
  ["two: https://a:b@c, https://d:e@f", "two: https://…@c, https://…@f"],
  ["postgres://db.example.com/bourse", "postgres://db.example.com/bourse"],
  ["https://example.com and ops@example.com", "https://example.com and ops@example.com"],
  ["ops@example.com", "ops@example.com"],
  [
    "set it to postgres://user:password@host/database",
    "set it to postgres://user:password@host/database",
  ],
  ["postgres://user:password2@host/database", "postgres://…@host/database"],
])("shows %j without user and password", (text, shown) => {
  expect(hideSecrets(text)).toBe(shown);
});

test("takes no longer than the text is long", () => {
  // Any search from each of the 200,000 beginnings would not end.
  expect(hideSecrets("@".concat("://".repeat(200_000)))).toHaveLength(600_001);
});

test.each([
  ["RCLONE_PASS=hunter2 rclone copy", "RCLONE_PASS=… rclone copy"],
  ["AWS_SECRET_ACCESS_KEY='a b' aws s3 cp", "AWS_SECRET_ACCESS_KEY=… aws s3 cp"],
  ["restic --password hunter2 backup", "restic --password … backup"],
  ["tool --api-key=abc --to x", "tool --api-key=… --to x"],
  ["restic --password-file /etc/restic backup", "restic --password-file /etc/restic backup"],
  ["curl -u anna:hunter2 -T", "curl -u anna:… -T"],
  [
    'curl -H "Authorization: Bearer abc" https://dl.example.com',
    'curl -H "Authorization: …" https://dl.example.com',
  ],
  ["curl -H 'X-Api-Key: abc' -T", "curl -H 'X-Api-Key: …' -T"],
  ["curl https://a:b@dl.example.com/x", "curl https://…@dl.example.com/x"],
  ["https://dl.example.com/x?v=1&token=abc&sig=d", "https://dl.example.com/x?v=1&token=…&sig=…"],
  ["https://dl.example.com/bourse", "https://dl.example.com/bourse"],
  [
    "/usr/local/bin/copy-backup --keep 7 --bucket=b",
    "/usr/local/bin/copy-backup --keep 7 --bucket=b",
  ],
])("shows the setting %j without its secrets", (text, shown) => {
  expect(hideSettingSecrets(text)).toBe(shown);
});
