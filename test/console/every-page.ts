import type { ConsoleWorld } from './world.ts'

interface PageIds {
  runId: string
  automationId: string
  importId: string
}

/** The address of every page under /console, by the name of its screenshot. */
export const everyPage = (world: ConsoleWorld, ids: PageIds): Record<string, string> => {
  const inWorkspace: Record<string, string> = {
    home: '',
    contacts: '/contacts',
    contact: `/contacts/${world.contacts['Donald']}`,
    audiences: '/audiences',
    audience: `/audiences/${world.audienceId}`,
    tags: '/tags',
    suppressions: '/suppressions',
    imports: '/imports',
    import: `/imports/${ids.importId}`,
    campaigns: '/campaigns',
    'campaign-new': '/campaigns/new',
    runs: '/runs',
    run: `/runs/${ids.runId}`,
    templates: '/templates',
    template: `/templates/${world.templateId}`,
    'template-new-version': `/templates/${world.templateId}/new`,
    automations: '/automations',
    automation: `/automations/${ids.automationId}`,
    'automation-list': `/automations/${ids.automationId}?view=list`,
    'automation-edit': `/automations/${ids.automationId}/edit`,
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
