import { createContext, useContext } from 'react'
import { localZone, useTimes } from './times.tsx'

const style = { dateStyle: 'medium', timeStyle: 'short' } as const
const local = new Intl.DateTimeFormat(undefined, style)
const utc = new Intl.DateTimeFormat(undefined, { ...style, timeZone: 'UTC' })

/** Whether a time has a tab stop: among the facts of an object, but not in lists, which may have hundreds. */
export const HasTabStop = createContext(false)

/** A moment in the zone of the reader, and in UTC, for texts without a tooltip. */
export const momentInWords = (date: Date): string =>
  localZone === 'UTC' ? `${utc.format(date)} UTC` : `${local.format(date)} (${utc.format(date)} UTC)`

/** A moment in the zone of the reader, with UTC in a tooltip, or the other way round. */
export function Moment({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  const { isUtc } = useTimes()
  const hasTabStop = useContext(HasTabStop)
  if (!at) return <>{none}</>
  const date = new Date(at)
  return (
    <time
      dateTime={at}
      style={{ whiteSpace: 'nowrap' }}
      data-means={isUtc ? `${local.format(date)} (${localZone})` : `${at} (UTC)`}
      {...(hasTabStop && { tabIndex: 0 })}
    >
      {isUtc ? `${utc.format(date)} UTC` : local.format(date)}
    </time>
  )
}

/** When something was done, and who did it. */
export const MomentBy = ({ at, by }: { at: string; by: string | null }) => (
  <>
    <Moment at={at} />, by {by ?? 'unknown'}
  </>
)
