import { tools } from '../gen/tools.ts'
import type { Tool } from './tool.ts'

/** What `--enable` accepts for many tools at once, and the tools of each. */
const groups = {
  changes: 'authoring: contacts, consent, content, drafts, imports, automations, verification',
  'test-delivery': 'test emails and rehearsals, to recipients of the allowlist',
  production: 'scheduling and activating: real email to real people',
} as const
type Group = keyof typeof groups

/**
 * Tools that no group enables, with the reason: an agent that was talked into one of them does harm that its group does not
 * suggest. Each is enabled by its own name.
 */
export const dangerous: Record<string, string> = {
  activateSenderIdentity: 'it lets a sender send to real people',
  activateWorkspaceSending: 'it lets a workspace send to real people',
  activateProviderConnection: 'it decides which account sends',
  approveImport: 'it applies a whole file',
  cancelImport: 'it destroys a file for ever',
  setSendingDomainReadiness: 'it states what a person has reviewed, such as the quota',
  createSubscriptionSource: 'it lets an external form add people',
  replaceSubscriptionSourceOrigins: 'it decides which websites may add people',
  resolveSuppression: 'it lets email reach an address that refused it',
  setCampaignWebhook: 'it decides which address learns about runs',
  subscribeContact: 'it claims a consent, and a published automation may send to the contact',
  createPreferenceToken: 'its links act for the contact',
  createSyntheticRehearsal: 'it loads the whole deployment',
}

/** The group of a tool; reading needs none. */
export function groupOf({ method, safetyClass }: Tool): Group | 'read' {
  if (method === 'GET') return 'read'
  switch (safetyClass) {
    case 'production path':
      return 'production'
    case 'test delivery':
      return 'test-delivery'
    case 'database-only':
    case 'external checks':
      return 'changes'
  }
}

/** Everything that `--enable` accepts. */
export const enablable = (): string[] => [
  ...Object.keys(groups),
  ...tools.filter((tool) => groupOf(tool) !== 'read').map(({ name }) => name),
]

/** Whether the person who started the server enabled this tool. */
export function isEnabled(tool: Tool, enabled: ReadonlySet<string>): boolean {
  const group = groupOf(tool)
  if (group === 'read' || enabled.has(tool.name)) return true
  return !Object.hasOwn(dangerous, tool.name) && enabled.has(group)
}

/** How to enable a tool, in words. */
export function howToEnable(tool: Tool): string {
  const reason = dangerous[tool.name]
  if (reason !== undefined) return `It is dangerous: ${reason}. A person enables it by name: --enable ${tool.name}`
  const group = groupOf(tool) as Group
  return `A person enables it with --enable ${group} (${groups[group]}), or --enable ${tool.name}`
}

/** Whether a role with these capabilities may call it. The service checks it again, with ownership. */
export const isAllowed = (tool: Tool, capabilities: ReadonlySet<string>): boolean =>
  ['public', 'authenticated'].includes(tool.capability) || capabilities.has(tool.capability)
