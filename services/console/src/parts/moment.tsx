const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A moment in the zone of the reader, with UTC in a tooltip. */
export const Moment = ({ at, none = '–' }: { at: string | null | undefined; none?: string }) =>
  at ? (
    <time dateTime={at} style={{ whiteSpace: 'nowrap' }} data-means={`${at} (UTC)`}>
      {format.format(new Date(at))}
    </time>
  ) : (
    <>{none}</>
  )

/** When something was done, and who did it. */
export const MomentBy = ({ at, by }: { at: string; by: string | null }) => (
  <>
    <Moment at={at} />, by {by ?? 'unknown'}
  </>
)
