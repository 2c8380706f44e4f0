import { BourseError } from "#domain/errors.ts";

/** SQLSTATE of a statement that writes on a read-only standby. */
export const READ_ONLY = "25006";
/** With this code PgBouncer refuses the settings of a connection, and users and databases that it does not know. */
export const POOLER = "08P01";
/** SQLSTATE of a parameter of the address that is no setting of the server. */
export const UNKNOWN_PARAMETER = "42704";
/** The code of a pooler whose statements run on a server connection that changes. */
export const SHARED_CONNECTION = "pool_mode";

/** A reason for which the server cannot be used now: an SQLSTATE or a code of Bun. */
export class PostgresFailure extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`Postgres cannot be used: ${code}`);
    this.code = code;
  }

  /** True if the server answers, and a later attempt can succeed on the same connection. */
  get isRefusal(): boolean {
    // Insufficient resources; cancelled by its time limit; locked; serialization failure or deadlock; its
    // disk or files; and what an operator can take away and give back: tables, functions, rights.
    return /^(53[^3]|57014|55P03|40001|40P01|58|XX|42P01|42883|42501|3F)/.test(this.code);
  }

  /** How to describe the setting that leads to this failure at the start. */
  get advice(): string {
    if (this.code === "28000")
      return "has a user that the server does not know, or not with this kind of connection (sslmode in the address, or pg_hba.conf of the server)";
    if (this.code.startsWith("28")) return "has a user or a password that the server refuses";
    if (CERTIFICATE_ERROR.test(this.code))
      return `leads to a server whose certificate is not trusted (${this.code})`;
    if (this.code === "3D000") return "names a database that does not exist";
    if (this.code === POOLER)
      return "leads to a connection pooler such as PgBouncer that refuses the connection or its settings; its log says more, and it must know the database and the user";
    if (this.code === SHARED_CONNECTION)
      return "leads to a connection pooler that gives each transaction another connection to Postgres; set pool_mode=session for the database in PgBouncer, or use the address of Postgres";
    if (this.code === UNKNOWN_PARAMETER)
      return "has a parameter that Postgres does not know; after the ? belong only host, user, password, port, dbname, sslmode and sslrootcert";
    if (this.code === READ_ONLY) return "leads to a read-only standby; it must lead to the primary";
    return `leads to no server that answers (${this.code})`;
  }
}

/** Errors of Bun that concern the connection and not the statement. */
const CONNECTION_ERROR =
  /_(CONNECTION|IDLE|LIFETIME|TLS|SASL|CHANNEL_BINDING|INVALID_(MESSAGE|SERVER|BACKEND))_|_AUTHENTICATION_|_UNEXPECTED_MESSAGE/;

/** Codes of OpenSSL and Bun for a certificate that cannot be verified. */
const CERTIFICATE_ERROR = /CERT|_ISSUER|UNABLE_TO_VERIFY/;

/** The failure behind an error of Bun.SQL; null if the statement itself is at fault. */
export function toFailure(error: unknown): PostgresFailure | null {
  if (error instanceof PostgresFailure) return error;
  if (!(error instanceof Bun.SQL.PostgresError)) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return CERTIFICATE_ERROR.test(code) ? new PostgresFailure(code) : null;
  }
  if (error.code !== "ERR_POSTGRES_SERVER_ERROR")
    return CONNECTION_ERROR.test(error.code) ? new PostgresFailure(error.code) : null;
  const state = error.errno ?? "";
  const failure = new PostgresFailure(state);
  // Connection; resources; shutdown; transaction ended; user; database; standby.
  const isLost = /^(08|53|57|25P03|28|3D000|25006)/.test(state);
  return isLost || failure.isRefusal ? failure : null;
}

/** The SQLSTATE for which a statement failed with `unavailable`; null for any other error. */
export function refusalCode(error: unknown): string | null {
  return error instanceof BourseError && error.cause instanceof PostgresFailure
    ? error.cause.code
    : null;
}
