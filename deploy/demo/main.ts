// make demo: the main job on real input, from an empty machine to a report that adds up. Exit status 0 only when every number is right.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '@lettergate/local/launcher/config'
import { up } from '@lettergate/local/launcher/up'
import { addPeople, suppressSome } from './add-people.ts'
import { openApi, signInAs } from './api.ts'
import { breakerSettings, sendToBadList } from './bad-list.ts'
import { proveConsent } from './consent-proof.ts'
import { readContacts } from './contacts.ts'
import { defineField } from './define-field.ts'
import { expectedOf } from './expected.ts'
import { cleanLetter } from './hostile-letter.ts'
import { invite } from './invite.ts'
import { leaveByEmail } from './leave-by-email.ts'
import { lookBack } from './look-back.ts'
import { missTheKey } from './missing-key.ts'
import { openPreferencePages } from './preference-page.ts'
import { prepareSending, type Sending } from './prepare-sending.ts'
import { readLetters } from './read-letters.ts'
import { reportOn } from './report.ts'
import { runCampaign } from './run-campaign.ts'
import { receiveRunEvents } from './run-events.ts'
import type { Scene } from './scene.ts'
import { signUpsFromOutside } from './sign-ups-from-outside.ts'
import { table, type Row } from './table.ts'
import { useTags } from './tags.ts'
import { takeBack } from './take-back.ts'
import { tryTheLetter } from './test-sends.ts'
import { whatBecame } from './what-became.ts'
import { whereToLook } from './where-to-look.ts'
import { whyNot } from './why-not.ts'

const began = performance.now()
const say = (line: string) => process.stdout.write(`${line}\n`)
const step = (title: string) => say(`\n[${((performance.now() - began) / 1000).toFixed(0).padStart(3)} s] ${title}`)
const tell = (line: string) => say(`        ${line}`)

let wrong = 0
/** Shows numbers beside what they have to be; each that is not counts against the demo. */
function check(title: string, rows: readonly Row[]) {
  const { text, mismatches } = table(title, rows)
  say(`\n${text}`)
  wrong += mismatches
}

interface Remembered {
  round: number
  sending?: Sending
}

async function demo(): Promise<number> {
  const config = loadConfig({
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
    TEST_SENDS_ENABLED: 'true',
    TEST_RECIPIENT_ALLOWLIST: '@demo.acme.test',
    ...breakerSettings,
    LETTERGATE_TRACES: 'true',
    LOG_LEVEL: 'info',
  })
  step('Starting the stack: seven services, PostgreSQL, NATS, and the outside world as local servers')
  const stack = await up(config, tell)
  const since = new Date()
  const memory = join(config.stateDirectory, 'demo.json')
  const before: Remembered = existsSync(memory)
    ? (JSON.parse(readFileSync(memory, 'utf8')) as Remembered)
    : { round: 0 }
  const round = before.round + 1
  writeFileSync(memory, JSON.stringify({ ...before, round }))

  const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
  const atConsole = '/console/api/organizations/acme/workspaces/newsletter'
  const api = openApi(stack.base_url, { authorization: 'Bearer wallet-session-dev-owner' })
  const browser = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  const scene: Scene = { api, browser, workspace, atConsole, stack, round, tell }

  step('Making ready to send')
  const sending = before.sending ?? (await prepareSending(api, workspace, stack, tell))
  writeFileSync(memory, JSON.stringify({ round, sending }))

  step('A connection whose key is missing')
  check('connection', await missTheKey(scene))

  step('The letter is tried on a colleague, and the way back rehearsed')
  check('test sends', await tryTheLetter(scene, sending.senderId))

  step('2,000 rows with consent evidence go in through the public API')
  const rows = readContacts(round)
  const people = await addPeople(api, workspace, rows, round, tell)
  const quiet = people.all.filter((person) => person.behaviour === 'delivered' && !person.isLegacy)

  step('Some of them must not be mailed')
  await suppressSome(api, workspace, people, tell)
  const mailed = quiet.filter((person) => !person.excludedBy && !person.left)
  const [byButton, byLink] = [mailed[0]!, mailed[1]!]
  const [interested, others] = [mailed.slice(10, 30), mailed.slice(30, 40)]

  step('A field of the workspace’s own')
  check('custom field', await defineField(scene, interested, 'exports'))

  step('A form on the website hands in sign-ups')
  const whoLeft = people.all.find((person) => person.left)!
  const outside = await signUpsFromOutside(scene, people.audienceId, whoLeft)
  people.all.push(...outside.people)
  check('subscription source', outside.rows)

  step('Why can we not mail this person?')
  check('eligibility', await whyNot(scene, people, whoLeft))

  step('A no is taken back')
  const whoComplained = people.all.find((person) => person.excludedBy === 'suppressed_platform')!
  check('suppressions', await takeBack(scene, people.audienceId, { whoLeft, whoComplained }))

  step('Tags')
  const { rows: tagged, tag } = await useTags(scene, mailed.slice(0, 12), mailed.slice(9, 17))
  check('tags', tagged)

  step('One campaign through the delivery worker')
  const run = await runCampaign(scene, { audienceId: people.audienceId, senderId: sending.senderId })
  check('letters', await readLetters(scene, interested, others, 'exports'))

  step('Two people leave through the email that arrived')
  const message = await leaveByEmail(api, workspace, stack, { audienceId: people.audienceId, byButton, byLink }, tell)

  step('A letter from elsewhere is cleaned')
  const cleaned = await cleanLetter(scene, {
    audience_id: people.audienceId,
    sender_identity_id: sending.senderId,
  })
  check('content', cleaned.rows)

  step('An invitation: two audiences, one tag, one message a person')
  const events = await receiveRunEvents(scene)
  const invitation = await invite(scene, events, {
    senderId: sending.senderId,
    contentId: cleaned.contentId,
    letterAudienceId: people.audienceId,
    tag,
    readers: mailed.slice(0, 17),
    gone: [byButton, byLink],
    unmailable: ['suppressed_workspace', 'suppressed_audience', 'legacy_consent_unverified'].map((reason) =>
      people.all.find((person) => person.excludedBy === reason)!,
    ),
  })
  await events.close()
  check('invitation', invitation.rows)

  step('The preference page speaks five languages')
  check('preference page', await openPreferencePages(scene, people.audienceId, mailed.slice(2)))

  step('Consent is proved, without the service')
  check('consent proof', await proveConsent(scene, whoLeft, config.stateDirectory))

  step('The report')
  const { tables, rates } = await reportOn(scene, { run, people, rows, expected: expectedOf(people.all, 2) })
  for (const [title, numbers] of tables) check(title, numbers)
  say(`\n  ${rates}`)

  step('What became of whom')
  check('people of the run', await whatBecame(scene, { runId: run.id, invitationId: invitation.runId, since }))

  step('A list that somebody bought')
  const bad = await sendToBadList(scene, { senderId: sending.senderId, contentId: cleaned.contentId })
  check('bad list', bad.rows)

  step('Who did what, and what wants a person')
  const contactIds = new Set(people.all.map(({ id }) => id))
  check('alerts and audit log', await lookBack(scene, { since, contactIds, badRunId: bad.runId }))

  const traceId = message.variables['traceparent']?.split('-')[1]
  if (!traceId) wrong += 1
  step('Where to look now')
  whereToLook(scene, run.id, traceId)
  await Promise.all([api.close(), browser.close()])

  step(wrong === 0 ? 'Every number is the expected one.' : `${wrong} numbers are not what was put in.`)
  return wrong === 0 ? 0 : 1
}

try {
  process.exit(await demo())
} catch (error) {
  process.stderr.write(`\nThe demo could not go on: ${(error as Error).message}\n`)
  process.exit(1)
}
