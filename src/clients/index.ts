import Bourse from "./Bourse.pm" with { type: "text" };
import bourse from "./bourse.py" with { type: "text" };
import bourseR from "./bourse.R" with { type: "text" };
import bourse_price from "./bourse_price.py" with { type: "text" };

/** A file for a program of the user. It has no secret and no address in it. */
export interface ClientFile {
  /** Below `/clients/`. */
  readonly name: string;
  /** What it is for: `GnuCash, by Finance::Quote`. */
  readonly title: string;
  /** The media type. */
  readonly type: string;
  readonly text: string;
}

/** The files that the service hands out. */
export const CLIENT_FILES: readonly ClientFile[] = [
  {
    name: "bourse.py",
    title: "Python with pandas, and scripts that were written for yfinance",
    type: "text/plain; charset=utf-8",
    text: bourse,
  },
  { name: "bourse.R", title: "R", type: "text/plain; charset=utf-8", text: bourseR },
  {
    name: "Bourse.pm",
    title: "GnuCash and other programs with Finance::Quote",
    type: "text/plain; charset=utf-8",
    text: Bourse,
  },
  {
    name: "bourse_price.py",
    title: "beancount, by bean-price",
    type: "text/plain; charset=utf-8",
    text: bourse_price,
  },
];
