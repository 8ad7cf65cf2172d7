/** The states of an enrollment. The first three have a position, the others are ends. */
export type EnrollmentState = 'active' | 'waiting' | 'paused' | EnrollmentEnd

/** Only a failed enrollment can begin again, by a replay. */
export type EnrollmentEnd = 'completed' | 'cancelled' | 'failed'
