import { randomUUID } from 'node:crypto'
import { openApi } from '@lettergate/demo/api'
import { signUp } from '@lettergate/demo/sign-up'
import type { Constellation } from '@lettergate/e2e/constellation'
import { addRehearsedAutomation, rehearseCapacity, runVirtualClock } from './rehearsals.ts'
import {
  addAutomation,
  addImport,
  addMemberDays,
  addUnknownRun,
  addVersions,
  atConsole,
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
  unknownRunId: string
  domainId: string
  erasureId: string
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
    erasure: `/erasures/${ids.erasureId}`,
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
    'unknown-run': `/runs/${ids.unknownRunId}`,
    templates: '/templates',
    template: `/templates/${world.templateId}`,
    'template-new-version': `/templates/${world.templateId}/new`,
    automations: '/automations',
    automation: `/automations/${ids.automationId}`,
    'automation-list': `/automations/${ids.automationId}?view=list`,
    'automation-edit': `/automations/${ids.automationId}/edit`,
    sending: '/sending',
    domain: `/domains/${ids.domainId}`,
    testing: '/testing',
    'preflight-report': `/testing?preflight=${ids.preflightId}`,
    'capacity-rehearsal': `/testing?rehearsal=${ids.rehearsalId}`,
    'provider-events': '/provider-events',
    webhook: '/webhook',
    sources: '/sources',
    source: '/sources/website-footer',
    team: '/team',
  }
  const ofPlatform: Record<string, string> = {
    profile: '/profile',
    gates: '/platform/gates',
    alerts: '/platform/alerts',
    'audit-log': '/platform/audit-log',
    'dead-letters': '/platform/dead-letters',
    'platform-suppressions': '/platform/suppressions',
    runbooks: '/runbooks',
    runbook: '/runbooks/import_brought_back',
    'no-runbook': '/runbooks/nothing',
  }
  const inNewWorkspace: Record<string, string> = {
    'first-steps': '',
    'empty-audiences': '/audiences',
    'empty-campaigns': '/campaigns',
    'empty-sending': '/sending',
  }
  const inLab: Record<string, string> = {
    'rehearsed-automation': `/automations/${ids.rehearsedId}`,
    'rehearsed-enrollment': `/enrollments/${ids.enrollmentId}`,
  }
  const at = (workspace: string, paths: Record<string, string>) =>
    Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `/w/acme/${workspace}${path}`]))
  return {
    ...at('newsletter', inWorkspace),
    ...at('product', inNewWorkspace),
    ...at('synthetic-lab', inLab),
    ...ofPlatform,
  }
}

/** A source with one sign-up. */
async function addSource(services: Constellation, { audienceId }: ConsoleWorld): Promise<void> {
  const origin = 'https://www.acme.test'
  const owner = await services.inBrowser('owner')
  const { credential } = await owner.ok<{ credential: string }>('POST', `${atConsole}/subscription-sources`, {
    slug: 'website-footer',
    display_name: 'Website footer',
    allowed_origins: [origin],
    allowed_audience_ids: [audienceId],
  })
  const form = openApi(services.baseUrl, { authorization: `Bearer ${credential}` })
  await form.ok(
    'POST',
    `${workspace}/subscription-sources/website-footer/events`,
    signUp(audienceId, 'robin@people.example.com', origin),
    { 'idempotency-key': randomUUID() },
  )
  await form.close()
}

/** A person whose data every service removes. */
async function eraseSomebody(services: Constellation, { owner }: ConsoleWorld): Promise<string> {
  const { contact } = await owner.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
    email: 'leaving@people.example.com',
    source: 'form',
  })
  const browser = await services.inBrowser('owner')
  const { erasure } = await browser.ok<{ erasure: { id: string } }>(
    'POST',
    `${atConsole}/contacts/${contact.id}/erase`,
    { confirmation: `ERASE ${contact.id}` },
  )
  return erasure.id
}

/** Everything that the pages show, and the address of each page. */
export async function openEveryPage(
  services: Constellation,
): Promise<{ world: ConsoleWorld; senderId: string; pages: Record<string, string> }> {
  const world = await openWorld(services)
  const senderId = await openSending(services, world.owner)
  for (const gate of ['synthetic_rehearsals_enabled', 'automation_enabled']) await setGate(services, gate, true)
  const runId = await runCampaign(services, world, senderId)
  const run = await world.owner.ok<{ campaign_run: { campaign_id: string } }>(
    'GET',
    `${workspace}/campaign-runs/${runId}`,
  )
  const automationId = await addAutomation(world, senderId)
  await addVersions(world, automationId)
  await addMemberDays(services, world.audienceId)
  await addSource(services, world)
  const rehearsedId = await addRehearsedAutomation(world)
  const browser = await services.inBrowser('owner')
  const { sending_domains } = await browser.ok<{ sending_domains: { id: string }[] }>(
    'GET',
    `${atConsole}/sending-domains`,
  )
  const ids = {
    runId,
    campaignId: run.campaign_run.campaign_id,
    domainId: sending_domains[0]!.id,
    automationId,
    rehearsedId,
    enrollmentId: await runVirtualClock(services, world, rehearsedId),
    rehearsalId: await rehearseCapacity(world),
    importId: await addImport(services, world),
    preflightId: await runPreflights(services, world),
    unknownRunId: await addUnknownRun(services, world, senderId),
    erasureId: await eraseSomebody(services, world),
  }
  return { world, senderId, pages: everyPage(world, ids) }
}
