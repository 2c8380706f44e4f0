import { useState } from "preact/hooks";
import { type Call, downloadCsv } from "#console/app/api.ts";
import { pageDay } from "#console/app/clock.ts";
import { formatNumber } from "#console/app/format.ts";
import { useAction } from "./action.ts";
import { type Shown, t } from "#console/app/words.ts";

/** A button that saves all rows of a table as a file, and shows how far it is. */
export function CsvButton(props: {
  readonly call: Call;
  readonly file: string;
  readonly text?: Shown;
  readonly title?: Shown;
}) {
  const { call, file, text = "CSV", title } = props;
  const { isBusy, error, run } = useAction();
  const [progress, setProgress] = useState({ rows: 0, total: 0 });
  const save = async () => {
    setProgress({ rows: 0, total: 0 });
    const blob = await downloadCsv(call, (rows, total) => setProgress({ rows, total }));
    saveFile(blob, file);
  };
  const { rows, total } = progress;
  return (
    <>
      <button type="button" title={title} disabled={isBusy} onClick={() => void run(save)}>
        {isBusy && rows > 0
          ? t("{shown} of {all}", { shown: formatNumber(rows, 0), all: formatNumber(total, 0) })
          : text}
      </button>
      {error !== null && <span role="alert">{error}</span>}
    </>
  );
}

/** Saves a file as the browser saves downloads. The name has the past day of the page: `AAPL (as of 2023-03-31).csv`. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download =
    pageDay.value === null ? name : name.replace(/(?=\.\w+$)/, ` (as of ${pageDay.value})`);
  link.click();
  URL.revokeObjectURL(link.href);
}
