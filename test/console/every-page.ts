import type { Constellation } from '@lettergate/e2e/constellation'
import { addRehearsedAutomation, rehearseCapacity, runVirtualClock } from './rehearsals.ts'
import {
  addAutomation,
  addImport,
  addMemberDays,
  addVersions,
  openSending,
  openWorld,
  runCampaign,
  runPreflights,
  setGate,
  workspace,
  type ConsoleWorld,
} from './world.ts'

interface PageIds {
  runId: string
  automationId: string
  importId: string
  campaignId: string
  rehearsalId: string
  rehearsedId: string
  enrollmentId: string
  preflightId: string
}

/** The address of every page under /console, by the name of its screenshot. */
const everyPage = (world: ConsoleWorld, ids: PageIds): Record<string, string> => {
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
    campaign: `/campaigns/${ids.campaignId}`,
    'campaign-new': '/campaigns/new',
    'campaign-edit': `/campaigns/${ids.campaignId}/edit`,
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
    'preflight-report': `/testing?preflight=${ids.preflightId}`,
    'capacity-rehearsal': `/testing?rehearsal=${ids.rehearsalId}`,
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
  const inLab: Record<string, string> = {
    'empty-audiences': '/audiences',
    'empty-campaigns': '/campaigns',
    'empty-sending': '/sending',
    'rehearsed-automation': `/automations/${ids.rehearsedId}`,
    'rehearsed-enrollment': `/enrollments/${ids.enrollmentId}`,
  }
  const at = (workspace: string, paths: Record<string, string>) =>
    Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `/w/acme/${workspace}${path}`]))
  return {
    ...at('newsletter', inWorkspace),
    ...at('synthetic-lab', inLab),
    ...ofPlatform,
  }
}

/** Everything that the pages show, and the address of each page. */
export async function openEveryPage(
  services: Constellation,
): Promise<{ world: ConsoleWorld; senderId: string; pages: Record<string, string> }> {
  const world = await openWorld(services)
  const senderId = await openSending(services, world.owner)
  for (const gate of ['synthetic_rehearsals_enabled', 'automation_enabled']) await setGate(services, gate, true)
  const runId = await runCampaign(world, senderId)
  const run = await world.owner.ok<{ campaign_run: { campaign_id: string } }>(
    'GET',
    `${workspace}/campaign-runs/${runId}`,
  )
  const automationId = await addAutomation(world, senderId)
  await addVersions(world, automationId)
  await addMemberDays(services, world.audienceId)
  const rehearsedId = await addRehearsedAutomation(world)
  const ids = {
    runId,
    campaignId: run.campaign_run.campaign_id,
    automationId,
    rehearsedId,
    enrollmentId: await runVirtualClock(services, world, rehearsedId),
    rehearsalId: await rehearseCapacity(world),
    importId: await addImport(services, world),
    preflightId: await runPreflights(services, world),
  }
  return { world, senderId, pages: everyPage(world, ids) }
}
