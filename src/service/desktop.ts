/**
 * The command that opens a file in the browser of a desktop, without the file; null without a desktop.
 * A shell over SSH has none, because the browser would open on the other machine.
 */
export function openCommand(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] | null {
  if (env["SSH_CONNECTION"]) return null;
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["cmd", "/c", "start", ""];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : null;
}

/** Opens a file with this command, if the machine has it. The printed link remains if it has not. */
export function openWith([program = "", ...rest]: readonly string[], path: string): void {
  const found = Bun.which(program);
  if (found === null) return;
  const outputs = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
  Bun.spawn([found, ...rest, path], outputs).unref();
}
