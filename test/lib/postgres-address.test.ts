import { expect, test } from "bun:test";
import { parseAddress } from "#lib/postgres-address.ts";

// The forms of https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING, 34.1.1.2.
test.each([
  [
    "postgres://anna:secret@db.example:5433/bourse",
    "postgres://anna:secret@db.example:5433/bourse",
    null,
  ],
  [
    "postgresql://db.example/bourse?sslmode=verify-full",
    "postgresql://db.example/bourse?sslmode=verify-full",
    null,
  ],
  [
    "postgres://anna@/bourse?host=/var/run/postgresql",
    "postgres://anna@localhost/bourse",
    "/var/run/postgresql",
  ],
  ["postgres://anna@:5433/bourse?host=/run", "postgres://anna@localhost:5433/bourse", "/run"],
  [
    "postgresql:///bourse?host=/run&user=anna&sslmode=require",
    "postgresql://anna@localhost/bourse",
    "/run",
  ],
  ["postgres://anna@%2Fvar%2Flib%2Fpg/bourse", "postgres://anna@localhost/bourse", "/var/lib/pg"],
  [
    "postgresql://?host=/run&port=5433&dbname=bourse&user=anna&password=a%20b",
    "postgresql://anna:a%20b@localhost:5433/bourse",
    "/run",
  ],
  [
    "postgresql://anna:@%2Ftmp%2F.s.PGSQL.5432:5432/bourse?sslmode=require",
    "postgresql://anna@localhost:5432/bourse",
    "/tmp/.s.PGSQL.5432",
  ],
  // The parameter comes before the host of the address.
  ["postgres://anna@elsewhere/bourse?host=db.example", "postgres://anna@db.example/bourse", null],
  ["postgres://[::1]:5433/bourse", "postgres://[::1]:5433/bourse", null],
])("%s", (text, url, socket) => {
  const address = parseAddress(text);
  expect([address?.url.href, address?.socket]).toEqual([url, socket]);
});

test.each([
  "",
  "bourse",
  "mysql://db.example/bourse",
  "postgres://",
  "postgres:///bourse",
  "postgres://anna@/bourse",
  "postgres://[db/bourse",
])("%p has no host", (text) => expect(parseAddress(text)).toBeNull());
