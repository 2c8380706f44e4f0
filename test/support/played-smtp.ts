import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from "./certificate.ts";

/** A mail that a played server took. */
interface TakenMail {
  readonly isSecret: boolean;
  readonly signIn: string | null;
  readonly from: string;
  readonly to: string;
  /** Headers and body as they came. */
  readonly text: string;
}

/** How a server behaves. */
interface SmtpPlay {
  /** How it offers TLS. */
  readonly tls: "none" | "starttls" | "tls";
  /** Its answers to commands instead of the usual ones, by their first word; an empty one is none. */
  readonly answers?: Readonly<Record<string, string>>;
}

const CREDENTIALS = { key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE };

/** A server on localhost that takes mail as SMTP servers do. */
export async function playSmtp({ tls, answers = {} }: SmtpPlay) {
  const mails: TakenMail[] = [];
  const sockets = new Set<Socket>();
  const talk = (socket: Socket, isSecret: boolean) => {
    sockets.add(socket);
    const state = { signIn: null as string | null, from: "", to: "", data: null as string | null };
    let waiting = "";
    const say = (line: string) => line !== "" && socket.write(`${line}\r\n`);
    const answer = (line: string) => {
      const word = line.split(/[ :]/)[0]?.toUpperCase() ?? "";
      const own = answers[word];
      if (own !== undefined) return say(own);
      if (word === "STARTTLS" && tls !== "starttls") say("502 unknown");
      else if (word === "STARTTLS") {
        say("220 begin");
        socket.removeAllListeners("data");
        talk(new TLSSocket(socket, { isServer: true, ...CREDENTIALS }), true);
      } else if (word === "EHLO")
        say(
          `250-localhost\r\n${tls === "starttls" && !isSecret ? "250-STARTTLS\r\n" : ""}250 AUTH PLAIN`,
        );
      else if (word === "AUTH") {
        state.signIn = Buffer.from(line.split(" ")[2] ?? "", "base64")
          .toString()
          .replaceAll("\0", " ")
          .trim();
        say("235 welcome");
      } else if (word === "MAIL") {
        state.from = line.slice("MAIL FROM:".length);
        say("250 ok");
      } else if (word === "RCPT") {
        state.to = line.slice("RCPT TO:".length);
        say("250 ok");
      } else if (word === "DATA") {
        state.data = "";
        say("354 go on");
      } else if (word === "QUIT") socket.end("221 bye\r\n");
      else say("250 ok");
    };
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      waiting += bytes.toString();
      for (let end = waiting.indexOf("\r\n"); end >= 0; end = waiting.indexOf("\r\n")) {
        const line = waiting.slice(0, end);
        waiting = waiting.slice(end + 2);
        if (state.data === null) answer(line);
        else if (line === ".") {
          const { data: text, ...mail } = state;
          mails.push({ isSecret, ...mail, text });
          state.data = null;
          say("250 taken");
        } else state.data += `${line.replace(/^\./, "")}\n`;
      }
    });
    if (!isSecret || tls === "tls") say(answers["GREETING"] ?? "220 localhost");
  };
  const server: Server =
    tls === "tls"
      ? createTlsServer(CREDENTIALS, (socket) => talk(socket, true))
      : createServer((socket) => talk(socket, false));
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    mails,
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
