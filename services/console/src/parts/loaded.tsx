import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { pagesOfWorkspace } from './pages.ts'
import { isGone, useFailure, type Read } from './failed-reads.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { PageLink } from './link.tsx'
import { PageLoading } from './page.tsx'

/** The content of an answer; before it a skeleton, and after a failure what to do. An older answer stays, and a toast says that it is old. */
export function Loaded<Output>({
  answer,
  children,
}: {
  answer: Read & { data: Output | undefined }
  children: (data: Output) => ReactNode
}) {
  const failure = useFailure([answer])
  if (answer.data !== undefined) return <>{children(answer.data)}</>
  if (!failure) return <PageLoading />
  return (
    <>
      <ErrorNotice {...failure} />
      <BackToList error={failure.error} />
    </>
  )
}

const lists = new Map(pagesOfWorkspace.flatMap(([, pages]) => pages))
/** Pages below no list of their own. */
const listsOfOthers: Record<string, string> = {
  '/domains': '/sending',
  '/enrollments': '/automations',
  '/erasures': '/contacts',
}

/** For an object that does not exist: the list that its page is below. */
function BackToList({ error }: { error: unknown }) {
  const [path] = useLocation()
  const above = `/${path.split('/')[1]}`
  const list = listsOfOthers[above] ?? above
  const title = lists.get(list)
  if (!isGone(error) || title === undefined || path === list) return null
  return <PageLink to={list}>Back to {title.toLowerCase()}</PageLink>
}
