import type { UseQueryResult } from '@tanstack/react-query'
import { ErrorNotice } from './error-notice.tsx'

/** Says that some of these reads failed and have no older answer, and repeats those. Nothing if none failed. */
export function FailedReads({ of }: { of: readonly UseQueryResult[] }) {
  const failed = of.filter(({ error, data }) => error !== null && data === undefined)
  const first = failed[0]
  return first ? <ErrorNotice error={first.error} onRetry={() => failed.forEach((one) => void one.refetch())} /> : null
}
