import { expect, test } from "bun:test";
import { hideSecrets } from "#lib/secrets.ts";

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
