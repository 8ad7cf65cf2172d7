// make demo: the main tasks on real input, from an empty machine to a complete report. Exit status 0 only when every number is right.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '@lettergate/local/launcher/config'
import { up } from '@lettergate/local/launcher/up'
import { addPeople, suppressSome } from './add-people.ts'
import { openApi, signInAs } from './api.ts'
import { breakerSettings, sendToBadList } from './bad-list.ts'
import { confirmSignUp } from './confirm-sign-up.ts'
import { proveConsent } from './consent-proof.ts'
import { readContacts } from './contacts.ts'
import { defineField } from './define-field.ts'
import { expectedOf } from './expected.ts'
import { cleanContent } from './hostile-content.ts'
import { importFile, importSettings } from './import-file.ts'
import { invite } from './invite.ts'
import { leaveByEmail } from './leave-by-email.ts'
import { readAuditLog, type AlertNotice } from './alerts-and-audit-log.ts'
import { checkMissingKey } from './missing-key.ts'
import { openPreferencePages } from './preference-page.ts'
import { prepareSending, type Sending } from './prepare-sending.ts'
import { readMessages } from './read-messages.ts'
import { rehearseCapacity } from './rehearse-capacity.ts'
import { reportOn } from './report.ts'
import { runCampaign } from './run-campaign.ts'
import { receiveRunEvents } from './run-events.ts'
import type { Scene } from './scene.ts'
import { openReceiver } from './signed-receiver.ts'
import { signUpsFromOutside } from './sign-ups-from-outside.ts'
import { syntheticYear } from './synthetic-year.ts'
import { table, type ReportRow } from './table.ts'
import { useTags } from './tags.ts'
import { runPreflight } from './preflight.ts'
import { resolveSuppressions } from './resolve-suppressions.ts'
import { tryTestSends } from './test-sends.ts'
import { readRecipients } from './recipients.ts'
import { automationSettings, welcomeSequence } from './welcome-sequence.ts'
import { verifyAuditChain } from './verify-audit-chain.ts'
import { whereToLook } from './where-to-look.ts'
import { whyNot } from './why-not.ts'

const began = performance.now()
const say = (line: string) => process.stdout.write(`${line}\n`)
const step = (title: string) => say(`\n[${((performance.now() - began) / 1000).toFixed(0).padStart(3)} s] ${title}`)
const print = (line: string) => say(`        ${line}`)

let wrong = 0
/** Shows numbers beside the expected ones, and counts those that differ. */
function check(title: string, rows: readonly ReportRow[]) {
  const { text, mismatches } = table(title, rows)
  say(`\n${text}`)
  wrong += mismatches
}

interface StateFile {
  round: number
  sending?: Sending
}

async function demo(): Promise<number> {
  const alertReceiver = await openReceiver<AlertNotice>('/alerts')
  const settings = {
    TEST_RECIPIENT_ALLOWLIST: '@demo.acme.test',
    ...breakerSettings,
    ...importSettings,
    ...automationSettings,
    LETTERGATE_TRACES: 'true',
    LOG_LEVEL: 'info',
  }
  const whileClosed = loadConfig({
    ...settings,
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'false',
    TEST_SENDS_ENABLED: 'false',
  })
  const config = loadConfig({
    ...settings,
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
    TEST_SENDS_ENABLED: 'true',
    SYNTHETIC_REHEARSALS_ENABLED: 'true',
    ALERT_WEBHOOK_URL: alertReceiver.url,
    ALERT_WEBHOOK_SECRET: alertReceiver.secret,
    ALERT_WEBHOOK_ALLOW_PRIVATE: 'true',
  })
  step('Starting the stack: seven services, PostgreSQL, NATS, and the outside world as local servers')
  const closedStack = await up(whileClosed, print)
  const stateFile = join(config.stateDirectory, 'demo.json')
  const before: StateFile = existsSync(stateFile)
    ? (JSON.parse(readFileSync(stateFile, 'utf8')) as StateFile)
    : { round: 0 }
  const round = before.round + 1
  writeFileSync(stateFile, JSON.stringify({ ...before, round }))

  step('A CSV file of 5,000 rows, while nothing can send; its worker is killed')
  check('import', await importFile(whileClosed, closedStack, round, print))

  step('Starting the stack again: from now on its environment allows sending, so no import could be applied')
  const stack = await up(config, print)
  const since = new Date()

  const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
  const atConsole = '/console/api/organizations/acme/workspaces/newsletter'
  const api = openApi(stack.base_url, { authorization: 'Bearer wallet-session-dev-owner' })
  const browser = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  const scene: Scene = { api, browser, workspace, atConsole, stack, round, print }

  step('Preparing to send')
  const sending = before.sending ?? (await prepareSending(api, workspace, stack, print))
  writeFileSync(stateFile, JSON.stringify({ round, sending }))

  step('A provider connection without its key')
  check('connection', await checkMissingKey(scene))

  step('Test sends and a rehearsal')
  check('test sends', await tryTestSends(scene, sending.senderId))

  step('A preflight before the launch')
  check('preflight', await runPreflight(scene))

  step('A synthetic rehearsal: how long would 1,000 recipients take?')
  check('synthetic rehearsal', await rehearseCapacity(scene))

  step('Adding 2,000 rows with consent evidence through the public API')
  const rows = readContacts(round)
  const people = await addPeople(api, workspace, rows, round, print)
  const quiet = people.all.filter((person) => person.behaviour === 'delivered' && !person.isLegacy)

  step('Suppressing and unsubscribing some of them')
  await suppressSome(api, workspace, people, print)
  const mailed = quiet.filter((person) => !person.excludedBy && !person.left)
  const [byButton, byLink] = [mailed[0]!, mailed[1]!]
  const [interested, others] = [mailed.slice(10, 30), mailed.slice(30, 40)]

  step('A custom field of the workspace')
  check('custom field', await defineField(scene, interested, 'exports'))

  step('Sign-ups of a form on the website')
  const formerMember = people.all.find((person) => person.left)!
  const outside = await signUpsFromOutside(scene, people.audienceId, formerMember)
  people.all.push(...outside.people)
  check('subscription source', outside.rows)

  step('Why a person cannot receive a campaign')
  check('eligibility', await whyNot(scene, people, formerMember))

  step('Resolving suppressions')
  const complainant = people.all.find((person) => person.excludedBy === 'suppressed_platform')!
  check('suppressions', await resolveSuppressions(scene, people.audienceId, { formerMember, complainant }))

  step('Tags')
  const { rows: tagged, tag } = await useTags(scene, mailed.slice(0, 12), mailed.slice(9, 17))
  check('tags', tagged)

  step('One campaign through the delivery worker')
  const run = await runCampaign(scene, { audienceId: people.audienceId, senderId: sending.senderId })
  check('messages', await readMessages(scene, interested, others, 'exports'))

  step('Two people unsubscribe through their email')
  const message = await leaveByEmail(api, workspace, stack, { audienceId: people.audienceId, byButton, byLink }, print)

  step('Hostile content is sanitised')
  const cleaned = await cleanContent(scene, {
    audience_id: people.audienceId,
    sender_identity_id: sending.senderId,
  })
  check('content', cleaned.rows)

  step('An invitation: two audiences, one tag, one message for each person')
  const events = await receiveRunEvents(scene)
  const invitation = await invite(scene, events, {
    senderId: sending.senderId,
    contentId: cleaned.contentId,
    newsletterAudienceId: people.audienceId,
    tag,
    readers: mailed.slice(0, 17),
    gone: [byButton, byLink],
    unmailable: ['suppressed_workspace', 'suppressed_audience', 'legacy_consent_unverified'].map((reason) =>
      people.all.find((person) => person.excludedBy === reason)!,
    ),
  })
  await events.close()
  check('invitation', invitation.rows)

  step('A welcome sequence; its worker is killed between two steps')
  check(
    'automation',
    await welcomeSequence(scene, config, { contentId: cleaned.contentId, senderId: sending.senderId }),
  )

  step('A year of a sequence at once, with a virtual clock and a synthetic contact')
  check('synthetic year', await syntheticYear(scene))

  step('A sign-up that is confirmed by email, and events about the person for a webhook')
  check('confirmed sign-up', await confirmSignUp(scene, people.audienceId, sending.senderId))

  step('The preference page in five languages')
  check('preference page', await openPreferencePages(scene, people.audienceId, mailed.slice(2)))

  step('A consent proof, verified without the service')
  check('consent proof', await proveConsent(scene, formerMember, config.stateDirectory))

  step('The report')
  const { tables, rates } = await reportOn(scene, { run, people, rows, expected: expectedOf(people.all, 2) })
  for (const [title, numbers] of tables) check(title, numbers)
  say(`\n  ${rates}`)

  step('Recipients and replayed events')
  check('people of the run', await readRecipients(scene, { runId: run.id, invitationId: invitation.runId, since }))

  step('A run to a bought list is paused')
  const bad = await sendToBadList(scene, { senderId: sending.senderId, contentId: cleaned.contentId })
  check('bad list', bad.rows)

  step('Audit log and alerts; a receiver outside gets the alerts, signed')
  const contactIds = new Set(people.all.map(({ id }) => id))
  check(
    'alerts and audit log',
    await readAuditLog(scene, { since, contactIds, badRunId: bad.runId, receiver: alertReceiver }),
  )
  alertReceiver.close()

  step('The audit log, verified without the service')
  check('audit chain', await verifyAuditChain(scene, config.stateDirectory))

  const traceId = message.variables['traceparent']?.split('-')[1]
  if (!traceId) wrong += 1
  step('Where to look')
  whereToLook(scene, run.id, traceId)
  await Promise.all([api.close(), browser.close()])

  step(wrong === 0 ? 'Every number is the expected one.' : `${wrong} numbers are wrong.`)
  return wrong === 0 ? 0 : 1
}

try {
  process.exit(await demo())
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${(error as Error).message}\n`)
  process.exit(1)
}
