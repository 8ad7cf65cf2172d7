import { Fault, type FaultCode } from '@lettergate/fault'
import { prepareContent, type AuthoredContent, type PreparedContent } from './prepare.ts'

/** The result of a thread: content, or a Fault as data, because errors lose their class between threads. */
export type ThreadResult =
  { content: PreparedContent } | { fault: { code: FaultCode; reason: string; message: string } }

/** The task of a content thread. Errors other than a Fault are thrown unchanged. */
export default function prepare(authored: AuthoredContent): ThreadResult {
  try {
    return { content: prepareContent(authored) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { code, reason, message } = error
    return { fault: { code, reason, message } }
  }
}
