import type { AlertPlaces } from "./channel.ts";
import { failed, type Failure, type Outcome, type OutgoingMessage } from "./outgoing.ts";

/** A mail server, and how it is reached. */
export interface MailRoute {
  readonly server: NonNullable<AlertPlaces["mail"]>;
  /** How long an answer of the server may take. */
  readonly timeoutMs: number;
  /** A certificate to trust besides the usual ones. */
  readonly ca?: string | undefined;
}

/** What sending mail needs. */
export interface MailParts extends MailRoute {
  /** The mailbox. */
  readonly to: string;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Sends a message by SMTP. A server with a user must have TLS and a valid certificate. */
export async function sendMail(parts: MailParts, message: OutgoingMessage): Promise<Outcome> {
  const { server, to, now } = parts;
  const { from } = server;
  const transport = await openTransport(parts);
  const { id, title, body, link } = message;
  try {
    await transport.sendMail({
      from: { name: "bourse", address: from },
      to: { name: "", address: to },
      subject: title,
      text: `${[body, link].filter(Boolean).join("\n\n")}\n`,
      date: new Date(now),
      // The same at each attempt, so that a mailbox can drop the second copy.
      messageId: `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
    return { is: "sent", said: "The mail server has accepted the message." };
  } catch (error) {
    return toFailure(error);
  } finally {
    transport.close();
  }
}

/** What is wrong with a mail server, as a sentence; null if it takes the user and the password. No mail is sent. */
export async function findMailFault(route: MailRoute): Promise<string | null> {
  const transport = await openTransport(route);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return toFailure(error).error;
  } finally {
    transport.close();
  }
}

async function openTransport({ server, timeoutMs, ca }: MailRoute) {
  const { host, port, isTls, user, password } = server;
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: isTls,
    ...(user !== null && { requireTLS: true, auth: { user, pass: password ?? "" } }),
    // A relay without a user gets no secret. Servers that relay for their machine often have no valid certificate.
    tls: { rejectUnauthorized: isTls || user !== null, ...(ca !== undefined && { ca }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The answer of the server without its text, which can have the address. */
function toFailure(thrown: unknown): Failure {
  const { code = "", responseCode = 0 } = thrown as { code?: string; responseCode?: number };
  if (code === "EAUTH")
    return failed("The mail server refuses the user or the password of BOURSE_MAIL.");
  if (code === "EENVELOPE" || code === "EMESSAGE") {
    // 5yz is for good, 4yz for now (RFC 5321).
    const isFinal = responseCode >= 500;
    const error = `The mail server answers ${responseCode} and does not take the message${isFinal ? "" : " now"}. Check the address of the channel.`;
    return { is: isFinal ? "refused" : "failed", error, waitMs: 0 };
  }
  if (code === "ETLS" || /certificate/i.test(String(thrown)))
    return failed("The mail server has no TLS with a valid certificate, which BOURSE_MAIL needs.");
  return failed("The mail server does not answer as a mail server does.");
}
