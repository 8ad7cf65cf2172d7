import { LettergateError } from '@lettergate/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { pagesOfWorkspace } from './pages.ts'
import { ErrorNotice } from './error-notice.tsx'
import { PageLink } from './link.tsx'
import { PageLoading } from './page.tsx'

/**
 * The content of an answer; before it a skeleton, and after a failure what to do, also while it is tried again: the button has the
 * focus. An older answer stays, and a toast says that it is old.
 */
export function Loaded<Output>({
  answer,
  children,
}: {
  answer: Pick<UseQueryResult<Output>, 'data' | 'error' | 'errorUpdateCount' | 'refetch'>
  children: (data: Output) => ReactNode
}) {
  const [last, setLast] = useState<Error | null>(null)
  if (answer.error && answer.error !== last) setLast(answer.error)
  if (answer.data !== undefined) return <>{children(answer.data)}</>
  // The question of another page has no failure of its own.
  const error = answer.error ?? (answer.errorUpdateCount > 0 ? last : null)
  if (!error) return <PageLoading />
  return (
    <>
      <ErrorNotice error={error} isRetrying={!answer.error} onRetry={() => void answer.refetch()} />
      <BackToList error={error} />
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
