#!/usr/bin/env bash
# sec-edgar-api (npm) reads one valid companyfacts answer in two ways. The key translations of the wrapped reports
# take RevenueFromContractWithCustomerExcludingAssessedTax before Revenues, so an insurer's fees are its total revenue,
# and the total expense, revenue − net income, is below zero. translateReport gives the total, and calls the fees
# revenueOperating, which is the operating income in the wrapped reports.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund sec-edgar-api@1.0.11 >>npm.log
cat >read.cjs <<'JS'
const { reportParser } = require("sec-edgar-api");
console.log("sec-edgar-api", require("sec-edgar-api/package.json").version);
// Quarters of an invented insurer, with the year to date as in every 10-Q.
const facts = (quarter) => {
  const rows = [];
  for (const year of [2023, 2024])
    for (const [i, end] of ["03-31", "06-30", "09-30", "12-31"].entries()) {
      const filed = i === 3 ? `${year + 1}-02-20` : `${year}-${["05", "08", "11"][i]}-10`;
      const common = {
        end: `${year}-${end}`,
        accn: `0000000001-${year}-00000${i + 1}`,
        fy: year,
        fp: i === 3 ? "FY" : `Q${i + 1}`,
        form: i === 3 ? "10-K" : "10-Q",
        filed,
      };
      const start = `${year}-${["01", "04", "07", "10"][i]}-01`;
      if (i < 3) rows.push({ ...common, start, val: quarter });
      if (i > 0) rows.push({ ...common, start: `${year}-01-01`, val: quarter * (i + 1) });
    }
  return { label: "", description: "", units: { USD: rows } };
};
const answer = {
  cik: 1,
  entityName: "Insurer",
  facts: {
    dei: {},
    "us-gaap": {
      Revenues: facts(1000),
      RevenueFromContractWithCustomerExcludingAssessedTax: facts(50),
      OperatingIncomeLoss: facts(120),
      NetIncomeLoss: facts(100),
    },
  },
};
const lineOf = (r) =>
  [r.fiscalYear, r.fiscalPeriod, r.revenueTotal, r.revenueOperating, r.expenseTotal].join(" ");
const wrapped = reportParser
  .parseReportsFromRawLegacy({ reportsRaw: reportParser.parseReportsRaw(answer) })
  .map(lineOf);
const translated = reportParser
  .parseReportsRaw(answer, { includeNamePrefix: true })
  .map((report) => lineOf(reportParser.translateReport({ report })));
const pick = (lines) => lines.find((line) => line.startsWith("2024 Q2 "));
console.log("period, revenueTotal, revenueOperating, expenseTotal");
console.log("wrapped:   ", pick(wrapped));
console.log("translated:", pick(translated));
JS
node read.cjs | tee out.txt
grep -q '^wrapped:    2024 Q2 50 120 -50$' out.txt
grep -q '^translated: 2024 Q2 1000 50 ' out.txt
echo "as described"
