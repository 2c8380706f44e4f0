import { openAccessTwice } from "../support/access.ts";
import { describeAccessStore } from "./describe-access-store.ts";

describeAccessStore("SQLite", openAccessTwice);
