import type { Capability } from '@lettergate/client'

/** What each capability allows. The service has the table that counts. */
const allowed: Record<Capability, string> = {
  view: 'see this workspace',
  upsert_contacts: 'add and change contacts',
  delete_contacts: 'delete and erase contacts, and see how far an erasure is',
  approve_imports: 'approve imports',
  edit_content: 'write campaigns and templates',
  edit_automations: 'write and publish automations',
  send_test: 'send tests and rehearse',
  schedule_campaign: 'schedule campaigns',
  manage_senders: 'set up connections, domains and senders',
  pause_delivery: 'pause, resume and cancel what is sent',
  resolve_suppressions: 'resolve suppressions',
  manage_subscription_sources: 'manage sources',
  manage_team_roles: 'manage the team',
  manage_audiences: 'manage audiences',
}

const ofAuthors: ReadonlySet<Capability> = new Set([
  'upsert_contacts',
  'edit_content',
  'edit_automations',
  'send_test',
  'schedule_campaign',
])

/** The roles that have a capability. */
export const whoCan = (capability: Capability): string =>
  capability === 'view'
    ? 'All members'
    : ofAuthors.has(capability)
      ? 'Owners, brand admins and editors'
      : 'Owners and brand admins'

const wordsOf = (name: string) => (Object.hasOwn(allowed, name) ? allowed[name as Capability] : undefined)

/** “Owners and brand admins can approve imports.”; undefined for what is no capability. */
export const whoCanInWords = (name: string): string | undefined =>
  wordsOf(name) && `${whoCan(name as Capability)} can ${wordsOf(name)}.`

/** The same of an archived workspace; undefined for what is no capability. */
export const nobodyCanInWords = (name: string): string | undefined =>
  wordsOf(name) && `This workspace is archived: nobody can ${wordsOf(name)} in it.`
