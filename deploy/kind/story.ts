// The main part of `make demo` in a stack that runs already: contacts with consent, one campaign, its report. Exit status 0 only
// when every number is right. BASE_URL=… PROVIDER_URL=… node deploy/kind/story.ts
import { addPeople, suppressSome } from '@lettergate/demo/add-people'
import { openApi, signInAs, type Api } from '@lettergate/demo/api'
import { readContacts } from '@lettergate/demo/contacts'
import { expectedOf } from '@lettergate/demo/expected'
import { leaveByEmail } from '@lettergate/demo/leave-by-email'
import { prepareSending, type Sending } from '@lettergate/demo/prepare-sending'
import { reportOn } from '@lettergate/demo/report'
import { runCampaign } from '@lettergate/demo/run-campaign'
import type { Scene } from '@lettergate/demo/scene'
import { table } from '@lettergate/demo/table'
import { seed } from '@lettergate/gateway/seed'
import { loadStoryConfig } from './config.ts'

const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
const atConsole = '/console/api/organizations/acme/workspaces/newsletter'

const say = (line: string) => process.stdout.write(`${line}\n`)
const print = (line: string) => say(`  ${line}`)

/** The audience of each run has a slug of its own, and the addresses of its people contain the number of the run. */
async function nextRound(api: Api): Promise<number> {
  const { audiences } = await api.ok<{ audiences: { slug: string }[] }>('GET', `${workspace}/audiences`)
  const rounds = audiences.flatMap(({ slug }) => /^monthly-newsletter-(\d+)$/.exec(slug)?.[1] ?? [])
  return Math.max(0, ...rounds.map(Number)) + 1
}

/** The sender of an earlier run. */
async function preparedBefore(browser: Api): Promise<Sending | undefined> {
  const { sender_identities: senders } = await browser.ok<{ sender_identities: { id: string; is_enabled: boolean }[] }>(
    'GET',
    `${atConsole}/sender-identities`,
  )
  const sender = senders.find((one) => one.is_enabled)
  return sender && { senderId: sender.id }
}

async function tellStory(): Promise<number> {
  const { baseUrl, providerUrl, databaseUrl } = loadStoryConfig()
  if (databaseUrl !== '') {
    say('Writing the users and workspaces that the wallet of the stand-ins knows')
    await seed(databaseUrl)
  }
  const stack: Scene['stack'] = {
    base_url: baseUrl,
    console_url: `${baseUrl}/console`,
    wallet_url: '',
    provider_url: providerUrl,
    dns: '',
    database_url: '',
    nats_url: '',
    processes: [],
    fingerprints: {},
    infrastructure: [],
    ports: {},
  }
  const api = openApi(baseUrl, { authorization: 'Bearer wallet-session-dev-owner' })
  const browser = openApi(baseUrl, await signInAs('owner', baseUrl))
  const round = await nextRound(api)
  const scene: Scene = { api, browser, workspace, atConsole, stack, round, print }

  say('Preparing to send')
  const sending = (await preparedBefore(browser)) ?? (await prepareSending(api, workspace, stack, print))
  say('Adding 2,000 rows with consent evidence, suppressing and unsubscribing some')
  const rows = readContacts(round)
  const people = await addPeople(api, workspace, rows, round, print)
  await suppressSome(api, workspace, people, print)
  const isMailed = (person: (typeof people.all)[number]) =>
    person.behaviour === 'delivered' && !person.isLegacy && !person.excludedBy && !person.left
  const [byButton, byLink] = people.all.filter(isMailed)
  say('One campaign through the delivery workers')
  const run = await runCampaign(scene, { audienceId: people.audienceId, senderId: sending.senderId })
  say('Two people unsubscribe through their email')
  await leaveByEmail(
    api,
    workspace,
    stack,
    { audienceId: people.audienceId, byButton: byButton!, byLink: byLink! },
    print,
  )
  say('The report')
  const { tables } = await reportOn(scene, { run, people, rows, expected: expectedOf(people.all, 2) })
  const compared = tables.map(([title, numbers]) => table(title, numbers))
  for (const { text: shown } of compared) say(`\n${shown}`)
  await Promise.all([api.close(), browser.close()])
  const wrong = compared.reduce((sum, { mismatches }) => sum + mismatches, 0)
  say(wrong === 0 ? 'Every number is the expected one.' : `${wrong} numbers are wrong.`)
  return wrong === 0 ? 0 : 1
}

try {
  process.exit(await tellStory())
} catch (error) {
  process.stderr.write(`\nThe story failed: ${(error as Error).message}\n`)
  process.exit(1)
}
