import { useAnswer } from './use-answer.ts'
import { useWorkspace } from './workspace.tsx'

// The lists of a workspace that several pages offer as choices, or take names from.

/** Every audience, oldest first, with its number of members; archived ones are included. */
export function useAudiences() {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'audiences'], (options) => console.listAudiencesWithCounts({}, options))
}

/** Every automation, archived ones included, and whether the platform lets automations run. */
export function useAutomations(options: { everyMs?: number; enabled?: boolean } = {}) {
  const { name, api } = useWorkspace()
  return useAnswer([name, 'automations'], (request) => api.listAutomations({}, request), options)
}

export function useTags() {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'tags'], (options) => console.listTags({}, options))
}

/** The definitions of the custom fields. */
export function useFields() {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'fields'], (options) => console.listContactFields({}, options))
}

export function useSenders() {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'senders'], (options) => console.listSenderIdentities({}, options))
}

export function useDomains() {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'domains'], (options) => console.listSendingDomains({}, options))
}

export function useConnections() {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'connections'], (options) => console.listProviderConnections({}, options))
}
