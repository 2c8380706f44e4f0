/** The value of each sample of a text in Prometheus' format, by its name with labels as written. */
export function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, name = "", value = ""] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return [name, value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value)];
    }),
  );
}
