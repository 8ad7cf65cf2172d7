import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { PageLoading } from './page.tsx'

/** The content of an answer; before it a skeleton, and after a failure what to do. An older answer stays, and a toast says it. */
export function Loaded<Output>({
  answer,
  children,
}: {
  answer: UseQueryResult<Output>
  children: (data: Output) => ReactNode
}) {
  if (answer.data !== undefined) return <>{children(answer.data)}</>
  return answer.error ? <ErrorNotice error={answer.error} onRetry={() => void answer.refetch()} /> : <PageLoading />
}
