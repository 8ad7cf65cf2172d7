import type { OperatorRole } from '@lettergate/client/console'

export const roles: readonly OperatorRole[] = ['owner', 'brand_admin', 'editor', 'analyst']

const authors: readonly OperatorRole[] = ['owner', 'brand_admin', 'editor']
const administrators: readonly OperatorRole[] = ['owner', 'brand_admin']

/** The capabilities of the roles in words. The service has the table that counts. */
export const abilities: readonly { title: string; roles: readonly OperatorRole[] }[] = [
  { title: 'See everything of the workspace', roles },
  {
    title: 'Add contacts, record consent, upload imports, register tags, define fields, archive audiences',
    roles: authors,
  },
  { title: 'Write campaigns, templates and automations', roles: authors },
  { title: 'Publish and pause automations', roles: authors },
  { title: 'Send tests, rehearse, schedule campaigns', roles: authors },
  { title: 'Pause, resume and cancel runs and enrollments', roles: administrators },
  { title: 'Approve imports', roles: administrators },
  { title: 'Suppress contacts, resolve suppressions, delete and erase contacts', roles: administrators },
  { title: 'Delete audiences, replay provider events, run the preflight', roles: administrators },
  { title: 'Set up connections, domains and senders, and turn sending off', roles: administrators },
  { title: 'Manage sources and members', roles: administrators },
  { title: 'Enable senders, activate sending, rename and merge tags', roles: ['owner'] },
]
