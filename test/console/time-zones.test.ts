import { afterEach, expect, test } from "bun:test";
import { nameOfZone } from "#console/app/zone-names.ts";
import { groupZones, zoneText } from "#console/app/time-zones.ts";
import { showLanguage } from "#console/app/words.ts";

afterEach(() => showLanguage("en"));

/** Offsets of a day in winter. */
const WINTER = Date.UTC(2026, 0, 15);
const SUMMER = Date.UTC(2026, 6, 15);

test.each([
  ["Asia/Tokyo", WINTER, "Tokyo (UTC+9)"],
  ["Asia/Kolkata", WINTER, "Kolkata (UTC+5:30)"],
  ["America/New_York", WINTER, "New York (UTC−5)"],
  ["America/New_York", SUMMER, "New York (UTC−4)"],
  ["America/Indiana/Knox", WINTER, "Knox, Indiana (UTC−6)"],
  ["Europe/London", WINTER, "London (UTC)"],
  ["UTC", WINTER, "UTC"],
  ["Asia/Atlantis", WINTER, "Atlantis"],
] as const)("%s at %d is %s", (zone, at, expected) => {
  expect(zoneText(zone, at)).toBe(expected);
});

test("the cities of the exchanges are in the reader's language", async () => {
  await showLanguage("ja");
  expect(zoneText("Asia/Ho_Chi_Minh", WINTER)).toBe("ホーチミン (UTC+7)");
});

test("old names of zones are their new ones, which are zones", () => {
  expect(
    ["Asia/Saigon", "Asia/Calcutta", "Asia/Katmandu", "Asia/Rangoon", "Europe/Kiev"].map(
      nameOfZone,
    ),
  ).toEqual(["Asia/Ho_Chi_Minh", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Yangon", "Europe/Kyiv"]);
  expect(nameOfZone("America/Godthab")).toBe("America/Nuuk");
});

test("zones are in groups, each once: the browser's, the user's and those of exchanges first, the others by city", () => {
  const listed =
    "Africa/Windhoek,America/Adak,America/Indiana/Knox,Asia/Saigon,Asia/Calcutta,Asia/Seoul,Europe/Paris,Etc/GMT+1,EST";
  expect(groupZones(listed.split(","), ["Europe/Kiev", "US/Eastern"])).toEqual([
    {
      title: "Often used",
      zones: "Europe/Kyiv US/Eastern America/New_York Asia/Tokyo Asia/Ho_Chi_Minh UTC".split(" "),
    },
    {
      title: "All others, from A to Z",
      zones: [
        "America/Adak",
        "America/Indiana/Knox",
        "Asia/Kolkata",
        "Europe/Paris",
        "Asia/Seoul",
        "Africa/Windhoek",
      ],
    },
  ]);
});

test("every zone that this program lists has a place, apart from offsets without a region", () => {
  const listed = Intl.supportedValuesOf("timeZone");
  const zones = groupZones(listed, []).flatMap((group) => group.zones);
  expect(new Set(zones).size).toBe(zones.length);
  expect(
    listed.filter((zone) => !zones.includes(nameOfZone(zone)) && !zone.startsWith("Etc/")),
  ).toEqual([]);
});
