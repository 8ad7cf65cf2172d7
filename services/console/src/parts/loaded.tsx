import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { PageLoading } from './page.tsx'

/** The content of an answer; before it a skeleton, and after a failure what to do. An older answer stays visible. */
export function Loaded<Output>({
  answer,
  children,
}: {
  answer: UseQueryResult<Output>
  children: (data: Output) => ReactNode
}) {
  return (
    <>
      {answer.error && <ErrorNotice error={answer.error} onRetry={() => void answer.refetch()} />}
      {answer.data !== undefined ? children(answer.data) : answer.error ? null : <PageLoading />}
    </>
  )
}
