import { addDays, daysBetween } from "#lib/date.ts";

/** A month of the Vietnamese lunar calendar. */
interface LunarMonth {
  /** 1 to 12; a leap month has the number of the month before it. */
  readonly number: number;
  readonly leap: boolean;
  /** Its first day in the Gregorian calendar, YYYY-MM-DD. */
  readonly firstDay: string;
}

/**
 * The months of the lunar year that begins in the Gregorian `year`, in order: 12, or 13 with a leap
 * month. The first month starts on Lunar New Year's Day.
 *
 * A month begins on the day of a new moon in UTC+7. Month 11 contains the winter solstice. If there are
 * 13 months from one month 11 to the next, the first one without a principal solar term is the leap
 * month. The positions of moon and sun follow Jean Meeus, Astronomical Algorithms (2nd ed.), chapters
 * 49 and 25, without the terms below half a minute.
 *
 * The result equals the published calendar from 1968, when all of Viet Nam used UTC+7, to 2053. Up to
 * 2100, four months (in 2054, 2072, 2077 and 2085) may begin a day earlier: their new moon is so close
 * to midnight that it depends on Earth's future rotation. None of the four is a month 1 or 3.
 */
export function lunarMonths(year: number): LunarMonth[] {
  const months = [...monthsFromSolstice(year - 1), ...monthsFromSolstice(year)];
  const newYears = months.flatMap(({ number, leap }, i) => (number === 1 && !leap ? [i] : []));
  return months.slice(...newYears);
}

/**
 * The Gregorian date, YYYY-MM-DD, of a day in a regular (not a leap) month of the lunar year.
 *
 * @throws RangeError if the month is not from 1 to 12
 */
export function lunarDate(year: number, month: number, day: number): string {
  const found = lunarMonths(year).find(({ number, leap }) => number === month && !leap);
  if (!found) throw new RangeError(`no lunar month ${month}`);
  return addDays(found.firstDay, day - 1);
}

/** The months from the winter solstice of `year` to before the month of the next winter solstice. */
function monthsFromSolstice(year: number): LunarMonth[] {
  const first = solsticeMoon(year);
  const days = Array.from({ length: solsticeMoon(year + 1) - first + 1 }, (_, i) =>
    newMoonDay(first + i),
  );
  const terms = days.map(solarTerm);
  const leapAt = days.length > 13 ? terms.findIndex((term, i) => term === terms[i + 1]) : Infinity;
  return days.slice(0, -1).map((day, i) => ({
    number: ((i + (i < leapAt ? 10 : 9)) % 12) + 1,
    leap: i === leapAt,
    firstDay: addDays(EPOCH, day),
  }));
}

/** Day 0, which begins at midnight in UTC+7. */
const EPOCH = "1970-01-01";
/** The Julian date of that midnight. */
const EPOCH_JD = 2_440_587.5 - 7 / 24;

/**
 * How far Earth's rotation is behind the uniform time of the formulas. It was 57 s in 1990 and 69 s in
 * 2020; future values cannot be computed.
 */
const DELTA_T_DAYS = 69 / 86_400;

const { abs, floor, sin } = Math;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** The number of the new moon that begins the month of the winter solstice of a Gregorian year. */
function solsticeMoon(year: number): number {
  const newYear = daysBetween(EPOCH, `${year + 1}-01-01`);
  let k = floor((newYear + EPOCH_JD - FIRST_MOON_JDE) / LUNATION_DAYS) + 1;
  while (newMoonDay(k) >= newYear || solarTerm(newMoonDay(k)) >= 9) k--;
  return k;
}

/** The last principal solar term before a day: 0 is the spring equinox, 9 the winter solstice. */
function solarTerm(day: number): number {
  const t = (day + EPOCH_JD + DELTA_T_DAYS - 2_451_545) / 36_525;
  const anomaly = radians(357.52911 + 35_999.05029 * t - 0.0001537 * t * t);
  const apparentLongitude =
    280.46646 +
    36_000.76983 * t +
    0.0003032 * t * t +
    (1.914602 - 0.004817 * t - 0.000014 * t * t) * sin(anomaly) +
    (0.019993 - 0.000101 * t) * sin(2 * anomaly) +
    0.000289 * sin(3 * anomaly) -
    0.00569 -
    0.00478 * sin(radians(125.04 - 1934.136 * t));
  return floor((((apparentLongitude % 360) + 360) % 360) / 30);
}

/** The mean new moon of 2000-01-06, number 0, and the mean time from one to the next. */
const FIRST_MOON_JDE = 2_451_550.09766;
const LUNATION_DAYS = 29.530588861;

/**
 * The periodic terms that correct the mean new moon, in days. Each row has a coefficient, which is
 * multiplied by the sine of a sum of angles, and the multiples of the three angles: the sun's mean
 * anomaly, the moon's mean anomaly and the moon's argument of latitude.
 */
const MOON_TERMS = [
  [-0.4072, 0, 1, 0],
  [0.17241, 1, 0, 0],
  [0.01608, 0, 2, 0],
  [0.01039, 0, 0, 2],
  [0.00739, -1, 1, 0],
  [-0.00514, 1, 1, 0],
  [0.00208, 2, 0, 0],
  [-0.00111, 0, 1, -2],
  [-0.00057, 0, 1, 2],
  [0.00056, 1, 2, 0],
  [-0.00042, 0, 3, 0],
  [0.00042, 1, 0, 2],
  [0.00038, 1, 0, -2],
] as const;

/** The day of new moon number `k`, in days since the epoch. */
function newMoonDay(k: number): number {
  const t = k / 1236.85;
  const sun = radians(2.5534 + 29.1053567 * k - 0.0000014 * t * t);
  const moon = radians(201.5643 + 385.81693528 * k + 0.0107582 * t * t);
  const latitude = radians(160.7108 + 390.67050284 * k - 0.0016118 * t * t);
  const eccentricity = 1 - 0.002516 * t - 0.0000074 * t * t;
  let jde = FIRST_MOON_JDE + LUNATION_DAYS * k + 0.00015437 * t * t;
  for (const [coefficient, suns, moons, latitudes] of MOON_TERMS) {
    const angle = suns * sun + moons * moon + latitudes * latitude;
    jde += coefficient * eccentricity ** abs(suns) * sin(angle);
  }
  return floor(jde - DELTA_T_DAYS - EPOCH_JD);
}
