import { timestampFromDate, type Timestamp } from '@bufbuild/protobuf/wkt'

/** A time from the database as protobuf has it; undefined for none. */
export function moment(at: string | Date): Timestamp
export function moment(at: string | Date | null | undefined): Timestamp | undefined
export function moment(at: string | Date | null | undefined): Timestamp | undefined {
  return at == null ? undefined : timestampFromDate(new Date(at))
}
