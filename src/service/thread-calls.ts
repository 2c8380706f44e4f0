import { BourseError } from "#domain/errors.ts";

/** Functions that another thread may call by name. Arguments and results are copied. */
type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>;

/** An error as another thread receives it: a copy would lose the class. */
type SentError = Pick<BourseError, "message"> & Partial<Pick<BourseError, "code" | "details">>;

/** A call, its result or its error. */
type Message =
  | { readonly id: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError };

/** One end of the calls between two threads. `Theirs` are the functions of the other one. */
export class ThreadCalls<Theirs extends { [N in keyof Theirs]: (...args: never[]) => unknown }> {
  readonly #post: (message: Message) => void;
  readonly #handlers: Handlers;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  /** `post` sends a message to the other thread, which passes it to its `receive`. */
  constructor(post: (message: unknown) => void, handlers: object) {
    this.#post = post;
    this.#handlers = handlers as Handlers;
  }

  /** Calls a function of the other thread. Rejects with its error, with the error of `end`, or if an argument cannot be copied. */
  call<N extends keyof Theirs & string>(
    name: N,
    ...args: Parameters<Theirs[N]>
  ): Promise<Awaited<ReturnType<Theirs[N]>>> {
    const id = ++this.#lastId;
    const answered = Promise.withResolvers<unknown>();
    this.#pending.set(id, answered);
    try {
      this.#post({ id, name, args });
    } catch (error) {
      this.#pending.delete(id);
      answered.reject(error);
    }
    return answered.promise as Promise<Awaited<ReturnType<Theirs[N]>>>;
  }

  /** Calls a function without a result. If the other thread ends, the call is lost. */
  tell<N extends keyof Theirs & string>(name: N, ...args: Parameters<Theirs[N]>): void {
    this.call(name, ...args).catch(() => {});
  }

  /** Takes a message of the other thread. */
  receive(data: unknown): void {
    const message = data as Message;
    if ("name" in message) return void this.#answer(message);
    const answered = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ("error" in message) answered?.reject(receiveError(message.error));
    else answered?.resolve(message.result);
  }

  /** Rejects all calls without a result: the other thread has ended. */
  end(error: Error): void {
    for (const answered of this.#pending.values()) answered.reject(error);
    this.#pending.clear();
  }

  async #answer({ id, name, args }: Extract<Message, { name: string }>): Promise<void> {
    try {
      const result = await this.#handlers[name]?.(...(args as never[]));
      this.#post({ id, result });
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    try {
      this.#post({ id, error: sendError(error) });
    } catch {
      // Without details that cannot be copied: without an answer, the other thread would wait for ever.
      this.#post({ id, error: { message: String(error) } });
    }
  }
}

/** The fields of an error that another thread needs. */
function sendError(error: unknown): SentError {
  if (!(error instanceof BourseError)) return { message: String(error) };
  const { message, code, details } = error;
  return { message, code, details };
}

/** The error with these fields. */
function receiveError({ message, code, details }: SentError): Error {
  return code === undefined ? new Error(message) : new BourseError(code, message, details);
}
