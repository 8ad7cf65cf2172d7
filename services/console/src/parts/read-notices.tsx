import { FailedReads, type Read } from './failed-reads.tsx'
import { LateReads } from './late-reads.tsx'
import { NoChoice } from './no-choice.tsx'

/** For reads that give a page its names or choices: says that one failed, or after some seconds that it is late. */
export const ReadNotices = ({ of }: { of: readonly Read[] }) => (
  <>
    <FailedReads of={of} />
    <LateReads of={of} />
  </>
)

/** What a list says in place of options, before they are read. */
export const whileUnread = ({ data, error }: Pick<Read, 'data' | 'error'>) =>
  data === undefined && {
    nothingFoundMessage: <NoChoice>{error ? 'The list could not be read' : 'Loading'}</NoChoice>,
  }
