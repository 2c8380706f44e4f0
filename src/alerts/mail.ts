import type { AlertPlaces } from "./channel.ts";
import { failed, type Outcome, type OutgoingMessage } from "./outgoing.ts";

/** What sending mail needs. */
export interface MailParts {
  readonly server: NonNullable<AlertPlaces["mail"]>;
  /** The mailbox. */
  readonly to: string;
  /** UTC milliseconds. */
  readonly now: number;
  /** How long an answer of the server may take. */
  readonly timeoutMs: number;
  /** A certificate to trust besides the usual ones. */
  readonly ca?: string | undefined;
}

/** Sends a message by SMTP. A server with a user must have TLS and a valid certificate. */
export async function sendMail(parts: MailParts, message: OutgoingMessage): Promise<Outcome> {
  const { server, to, now, timeoutMs, ca } = parts;
  const { host, port, isTls, user, password, from } = server;
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
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
    return toOutcome(error);
  } finally {
    transport.close();
  }
}

/** The answer of the server without its text, which can have the address. */
function toOutcome(thrown: unknown): Outcome {
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
