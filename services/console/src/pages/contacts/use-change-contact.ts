import type { ContactProfile } from '@lettergate/client/console'
import { useWorkspace } from '../../session/workspace.tsx'

type Body = Omit<Parameters<ReturnType<typeof useWorkspace>['api']['upsertContact']>[0]['body'], 'email' | 'source'>

/**
 * Changes a contact that is still there. The service finds a contact by its address, and would add a new one if somebody deleted or
 * erased this one meanwhile.
 */
export function useChangeContact({ id, email }: ContactProfile) {
  const { api, console } = useWorkspace()
  return async (changed: Body) => {
    const there = await console.getContact({ contact_id: id })
    return there.ok ? api.upsertContact({ body: { email, source: 'console', ...changed } }) : there
  }
}
