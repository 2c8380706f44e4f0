import { describe, expect, test } from "bun:test";
import { multplPe } from "#sources/multpl/index-pe.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { fake } from "../support/played-answer.ts";

const query = liveQuery({ today: "2026-11-20" });
const page = String(fake("multpl/by-month.fake.html").body);
const pes = (html: string) => transformed("indexPe", multplPe, html, query);
const row = (date: string, figure: string) => `<tr><td>${date}</td><td>${figure}</td></tr>`;
const table = (...rows: string[]) =>
  `<table id="datatable"><tr><th>Date</th><th>Value</th></tr>${rows.join("\n")}</table>`;

describe("multpl's price/earnings", () => {
  test("are those of months after Shiller's series, without estimates and the current value", () => {
    expect(pes(page)).toEqual([
      { country: "US", month: "2026-03", pe: 24.25 },
      { country: "US", month: "2026-02", pe: 24 },
      { country: "US", month: "2023-07", pe: 23.75 },
    ]);
    expect(pes(table(row("Oct 1, 2024", "27.5"), row("Oct 15, 2024", "28")))).toEqual([
      { country: "US", month: "2024-10", pe: 27.5 },
    ]);
  });

  test("in another form are refused; a page without new months is `nothing`", async () => {
    for (const html of [
      "",
      "<html>Access denied</html>",
      page.slice(0, -40),
      page.replace("datatable", "table"),
      page.replace("Value", "Price"),
      table(row("2024-10-01", "27.5")),
      table(row("Foo 1, 2024", "27.5")),
      table(row("Feb 30, 2024", "27.5")),
      table(row("Oct 1, 2024", "many")),
      table(row("Oct 1, 2024", "-3")),
      table("<tr><td>Oct 1, 2024</td></tr>"),
    ]) {
      expect(await faultOf(() => pes(html))).toBe("invalid_answer");
    }
    expect(await faultOf(() => pes(table(row("Jun 1, 2023", "23.5"))))).toBe("nothing");
  });

  test("are on one page", async () => {
    const client = answersFrom({ "by-month": page });
    expect(await multplPe.fetch(query, client)).toBe(page);
    expect(client.requests.map(({ url }) => url)).toEqual([
      "https://www.multpl.com/s-p-500-pe-ratio/table/by-month",
    ]);
  });
});
