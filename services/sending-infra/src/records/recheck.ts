/** The time until the next automatic check of a domain, in minutes. */

/** After a passing check: half of its validity, with a random variation of a fifth to spread the load. */
export const minutesAfterPassing = (maxAgeHours: number, random: number): number =>
  maxAgeHours * 30 * (0.8 + 0.4 * random)

/** After the nth failed check in a row of a domain that passed before: an hour, then longer, at most a day. */
export const minutesAfterFailing = (failures: number): number => Math.min(60 * 2 ** Math.min(failures, 10), 1_440)

/** After the nth check in a row without an answer: five minutes, then longer, at most an hour. */
export const minutesAfterNoAnswer = (failures: number): number => Math.min(5 * 2 ** Math.min(failures, 10), 60)

/** The number of checks in a row without an answer (more than an hour) that raises an alert, while the last check is still valid. */
export const noAnswersUntilAlert = 4
