import { LettergateError } from '@lettergate/client'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { pagesOfWorkspace } from './pages.ts'
import { ErrorNotice } from './error-notice.tsx'
import { PageLink } from './link.tsx'
import { PageLoading } from './page.tsx'

/** The content of an answer; before it a skeleton, and after a failure what to do. An older answer stays, and a toast says it. */
export function Loaded<Output>({
  answer,
  children,
}: {
  answer: Pick<UseQueryResult<Output>, 'data' | 'error' | 'refetch'>
  children: (data: Output) => ReactNode
}) {
  if (answer.data !== undefined) return <>{children(answer.data)}</>
  if (!answer.error) return <PageLoading />
  return (
    <>
      <ErrorNotice error={answer.error} onRetry={() => void answer.refetch()} />
      <BackToList error={answer.error} />
    </>
  )
}

const lists = new Map(pagesOfWorkspace.flatMap(([, pages]) => pages))

/** For an object that does not exist: the list that its page is below. */
function BackToList({ error }: { error: Error }) {
  const [path] = useLocation()
  const list = `/${path.split('/')[1]}`
  const isMissing = error instanceof LettergateError && error.failure.status === 404
  const title = lists.get(list)
  if (!isMissing || title === undefined || path === list) return null
  return <PageLink to={list}>Back to {title.toLowerCase()}</PageLink>
}
