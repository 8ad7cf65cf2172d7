/** The most steps of one enrollment. A cycle waits at least a second, so this takes hours at least. */
export const stepsMax = 10_000
