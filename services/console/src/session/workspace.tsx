import {
  inWorkspace,
  LettergateError,
  type ApiWorkspaceClient,
  type Capability,
  type IdentityResponse,
  type Workspace,
} from '@lettergate/client'
import type { ConsoleWorkspaceClient } from '@lettergate/client/console'
import { createContext, useContext, useEffect, useMemo, type ReactNode } from 'react'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { useFailure } from '../parts/failed-reads.tsx'
import { PageLink } from '../parts/link.tsx'
import { Page, PageLoading } from '../parts/page.tsx'
import { api, consoleApi } from './clients.ts'
import { useAnswer } from './use-answer.ts'
import { useWorkspaces } from './use-workspaces.ts'

export interface OpenWorkspace {
  /** organization/workspace */
  name: string
  me: IdentityResponse
  workspace: Workspace
  api: ApiWorkspaceClient
  console: ConsoleWorkspaceClient
  /** Whether the role of the user has a capability here. The service decides; this only hides what it would refuse. */
  may: (capability: Capability) => boolean
}

const Context = createContext<OpenWorkspace | null>(null)

/** The workspace of the page. */
export function useWorkspace(): OpenWorkspace {
  const found = useContext(Context)
  if (found === null) throw new Error('This page is outside of a workspace.')
  return found
}

/** Loads a workspace with the capabilities of the user, for the pages inside; again when the role changed. */
export function WorkspaceProvider({ name, me, children }: { name: string; me: IdentityResponse; children: ReactNode }) {
  const clients = useMemo(() => ({ api: inWorkspace(api, name), console: inWorkspace(consoleApi, name) }), [name])
  const answer = useAnswer(['workspace', name], (options) => clients.api.getWorkspace({}, options))
  const { data, error, refetch } = answer
  const failure = useFailure([answer])
  const list = useWorkspaces().data?.workspaces
  const role = list?.find((one) => `${one.organization}/${one.workspace}` === name)?.role
  useEffect(() => {
    if (list && data && role !== data.role) void refetch()
  }, [list, role, data, refetch])
  const value = useMemo(
    () =>
      data && {
        name,
        me,
        workspace: data,
        ...clients,
        may: (capability: Capability) => data.capabilities.includes(capability),
      },
    [name, me, data, clients],
  )
  // A user who was removed sees nothing of it any more.
  const isRefused = error instanceof LettergateError && [403, 404].includes(error.failure.status)
  if (value && !isRefused) return <Context value={value}>{children}</Context>
  if (!failure && !isRefused) return <PageLoading />
  return (
    <Page title={name}>
      <ErrorNotice {...(failure ?? { error, onRetry: () => void refetch() })} />
      <PageLink to="~/console">
        {me.workspaces.length > 0 ? 'Go to one of your workspaces' : 'Go to the start page'}
      </PageLink>
    </Page>
  )
}
