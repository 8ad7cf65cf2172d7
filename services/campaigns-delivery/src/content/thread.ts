import { Fault, type FaultCode } from '@lettergate/fault'
import { prepareContent, type AuthoredContent, type PreparedContent } from './prepare.ts'

/** What comes back from a thread: content, or the Fault of an author's mistake as data, since errors lose their class on the way. */
export type ThreadResult =
  { content: PreparedContent } | { fault: { code: FaultCode; reason: string; message: string } }

/** The task of a content thread. Anything but a Fault is thrown as it is. */
export default function prepare(authored: AuthoredContent): ThreadResult {
  try {
    return { content: prepareContent(authored) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { code, reason, message } = error
    return { fault: { code, reason, message } }
  }
}
