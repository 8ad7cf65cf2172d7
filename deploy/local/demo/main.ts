// make demo: the main job on real input, from an empty machine to a report that adds up. Exit status 0 only when every number is right.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../launcher/config.ts'
import { up } from '../launcher/up.ts'
import { addPeople, suppressSome } from './add-people.ts'
import { openApi, signInAs } from './api.ts'
import { proveConsent } from './consent-proof.ts'
import { readContacts } from './contacts.ts'
import { defineField } from './define-field.ts'
import { expectedOf } from './expected.ts'
import { leaveByEmail } from './leave-by-email.ts'
import { missTheKey } from './missing-key.ts'
import { openPreferencePages } from './preference-page.ts'
import { prepareSending, type Sending } from './prepare-sending.ts'
import { readLetters } from './read-letters.ts'
import { reportOn } from './report.ts'
import { runCampaign } from './run-campaign.ts'
import type { Scene } from './scene.ts'
import { signUpsFromOutside } from './sign-ups-from-outside.ts'
import { table, type Row } from './table.ts'
import { useTags } from './tags.ts'
import { takeBack } from './take-back.ts'
import { tryTheLetter } from './test-sends.ts'
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
    // Three in a thousand of its people complain: nothing may stop a run whose every number is checked.
    RUN_BREAKER_SETTLED_MIN: '100000',
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
  check('suppressions', await takeBack(scene, people.audienceId, { whoLeft, whoComplained, since }))

  step('Tags')
  check('tags', await useTags(scene, mailed.slice(0, 12), mailed.slice(9, 17)))

  step('One campaign through the delivery worker')
  const run = await runCampaign(
    api,
    workspace,
    { audienceId: people.audienceId, senderId: sending.senderId, round },
    tell,
  )
  check('letters', await readLetters(scene, interested, others, 'exports'))

  step('Two people leave through the email that arrived')
  const message = await leaveByEmail(api, workspace, stack, { audienceId: people.audienceId, byButton, byLink }, tell)

  step('The preference page speaks five languages')
  check('preference page', await openPreferencePages(scene, people.audienceId, mailed.slice(2)))

  step('Consent is proved, without the service')
  check('consent proof', await proveConsent(scene, whoLeft, config.stateDirectory))

  step('The report')
  const { tables, rates } = await reportOn(scene, { run, people, rows, expected: expectedOf(people.all, 2) })
  for (const [title, numbers] of tables) check(title, numbers)
  say(`\n  ${rates}`)

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
