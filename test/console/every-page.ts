import type { ConsoleWorld } from './world.ts'

/** The address of every page under /console, by the name of its screenshot. */
export const everyPage = (world: ConsoleWorld, runId: string, automationId: string): Record<string, string> => {
  const inWorkspace: Record<string, string> = {
    home: '',
    contacts: '/contacts',
    contact: `/contacts/${world.contacts['Donald']}`,
    audiences: '/audiences',
    audience: `/audiences/${world.audienceId}`,
    tags: '/tags',
    suppressions: '/suppressions',
    imports: '/imports',
    campaigns: '/campaigns',
    'campaign-new': '/campaigns/new',
    runs: '/runs',
    run: `/runs/${runId}`,
    templates: '/templates',
    template: `/templates/${world.templateId}`,
    'template-new-version': `/templates/${world.templateId}/new`,
    automations: '/automations',
    automation: `/automations/${automationId}`,
    'automation-list': `/automations/${automationId}?view=list`,
    'automation-edit': `/automations/${automationId}/edit`,
    sending: '/sending',
    testing: '/testing',
    'provider-events': '/provider-events',
    webhook: '/webhook',
    sources: '/sources',
    team: '/team',
  }
  const ofPlatform: Record<string, string> = {
    profile: '/profile',
    gates: '/platform/gates',
    alerts: '/platform/alerts',
    'audit-log': '/platform/audit-log',
    'dead-letters': '/platform/dead-letters',
    'platform-suppressions': '/platform/suppressions',
  }
  return {
    ...Object.fromEntries(Object.entries(inWorkspace).map(([name, path]) => [name, `/w/acme/newsletter${path}`])),
    ...ofPlatform,
  }
}
