import { openAccessTwice } from "../support/access.ts";
import { describeUserData } from "./describe-user-data.ts";

describeUserData("SQLite", openAccessTwice);
