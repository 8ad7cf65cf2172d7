import { timestampDate, timestampFromDate, type Timestamp } from '@bufbuild/protobuf/wkt'

/** What the database answers for a timestamptz, as a message carries it; null is unset. */
export const moment = (at: string) => timestampFromDate(new Date(at))
export const momentOrUnset = (at: string | null) => (at === null ? undefined : moment(at))

/** What a request carries, as the code compares it. */
export const dateOf = (at: Timestamp | undefined): Date | null => (at === undefined ? null : timestampDate(at))
