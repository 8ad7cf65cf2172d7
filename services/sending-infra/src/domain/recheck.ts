/** When a domain is looked at again by itself, in minutes from now. */

/** After a passing check, at half the time it counts for, give or take a fifth: domains added together drift apart. */
export const minutesAfterPassing = (maxAgeHours: number, random: number): number =>
  maxAgeHours * 30 * (0.8 + 0.4 * random)

/** After the nth failing check in a row of a domain that used to pass: an hour, then longer, at most a day. */
export const minutesAfterFailing = (failures: number): number => Math.min(60 * 2 ** Math.min(failures, 10), 1_440)

/** After the nth time in a row that nothing could be seen: five minutes, then longer, at most an hour. */
export const minutesAfterSilence = (failures: number): number => Math.min(5 * 2 ** Math.min(failures, 10), 60)

/** Silence so many times in a row (a good hour) is told to a person while the last check still counts. */
export const silencesUntilAlert = 4
