import type { IdentityResponse } from '@lettergate/client'
import type { Gate } from '@lettergate/client/console'
import type { UseQueryResult } from '@tanstack/react-query'
import { api } from '../session/clients.ts'
import { useAnswer } from '../session/use-answer.ts'
import { useGates } from '../session/use-gates.ts'
import { administersPlatform } from '../session/use-me.ts'

/**
 * The closed platform gates that the user may know, besides the one for production sending: all for administrators of the
 * platform, and the one for automations for members of a workspace. `read` is the answer that tells them; until it is there, `closed` is empty.
 */
export function useClosedGates(
  me: IdentityResponse,
  workspace: string | undefined,
): { closed: Gate['name'][]; read: UseQueryResult } {
  const isAdministrator = administersPlatform(me)
  const gates = useGates({ enabled: isAdministrator })
  const [organization_slug = '', workspace_slug = ''] = workspace?.split('/') ?? []
  const automations = useAnswer(
    [workspace, 'automations'],
    (options) => api.listAutomations({ organization_slug, workspace_slug }, options),
    { everyMs: 60_000, enabled: !isAdministrator && workspace !== undefined },
  )
  if (!isAdministrator)
    return { closed: automations.data?.runtime_enabled === false ? ['automation_enabled'] : [], read: automations }
  const closed = (gates.data?.gates ?? [])
    .filter(({ name, effective }) => !effective && name !== 'production_sending_enabled')
    .map(({ name }) => name)
  return { closed, read: gates }
}
