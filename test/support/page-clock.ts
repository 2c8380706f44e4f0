import type { OperationName, PayloadOf } from "#operations/index.ts";
import { START } from "./service.ts";
import type { BrowserPage } from "./browser.ts";

/** Gives the pages that are opened from now on the clock of the test service, and a time zone. */
export async function setPageClock(page: BrowserPage, timezoneId: string): Promise<void> {
  await page.cdp("Emulation.setTimezoneOverride", { timezoneId });
  await page.cdp("Page.addScriptToEvaluateOnNewDocument", {
    source: `(() => {
      const Real = Date;
      const shift = ${START} - Real.now();
      window.Date = class extends Real {
        constructor(...args) {
          if (args.length === 0) super(Real.now() + shift);
          else super(...args);
        }
        static now() {
          return Real.now() + shift;
        }
      };
    })();`,
  });
}

/** The payload of an operation, as the console gets it. @param call `get_sectors?country=US` */
export function answerOf<Name extends OperationName>(
  page: BrowserPage,
  call: Name | `${Name}?${string}`,
): Promise<PayloadOf<Name>> {
  return page.evaluate<PayloadOf<Name>>(
    `fetch(${JSON.stringify(`/console/api/data/${call}`)}).then((r) => r.json()).then(({ data }) => data)`,
  );
}
