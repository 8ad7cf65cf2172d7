// make demo: the main job on real input, from an empty machine to a report that adds up. Exit status 0 only when every number is right.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../launcher/config.ts'
import { up } from '../launcher/up.ts'
import { addPeople, suppressSome } from './add-people.ts'
import { openApi } from './api.ts'
import { readContacts } from './contacts.ts'
import { expectedOf } from './expected.ts'
import { leaveByEmail } from './leave-by-email.ts'
import { prepareSending, type Sending } from './prepare-sending.ts'
import { runCampaign, settledReport } from './run-campaign.ts'
import { table } from './table.ts'

const began = performance.now()
const say = (line: string) => process.stdout.write(`${line}\n`)
const step = (title: string) => say(`\n[${((performance.now() - began) / 1000).toFixed(0).padStart(3)} s] ${title}`)
const tell = (line: string) => say(`        ${line}`)

interface Remembered {
  round: number
  sending?: Sending
}

async function demo(): Promise<number> {
  const config = loadConfig({
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
    TEST_SENDS_ENABLED: 'true',
    LETTERGATE_TRACES: 'true',
  })
  step('Starting the stack: seven services, PostgreSQL, NATS, and the outside world as local servers')
  const stack = await up(config, tell)
  const memory = join(config.stateDirectory, 'demo.json')
  const before: Remembered = existsSync(memory)
    ? (JSON.parse(readFileSync(memory, 'utf8')) as Remembered)
    : { round: 0 }
  const round = before.round + 1
  writeFileSync(memory, JSON.stringify({ ...before, round }))

  const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
  const api = openApi(stack.base_url, { authorization: 'Bearer wallet-session-dev-owner' })

  step('Making ready to send')
  const sending = before.sending ?? (await prepareSending(api, workspace, stack, tell))
  writeFileSync(memory, JSON.stringify({ round, sending }))

  step('2,000 rows with consent evidence go in through the public API')
  const rows = readContacts(round)
  const people = await addPeople(api, workspace, rows, round, tell)

  step('Some of them must not be mailed')
  await suppressSome(api, workspace, people, tell)

  step('One campaign through the delivery worker')
  const run = await runCampaign(
    api,
    workspace,
    { audienceId: people.audienceId, senderId: sending.senderId, round },
    tell,
  )

  step('Two people leave through the email that arrived')
  const quiet = people.all.filter((person) => person.behaviour === 'delivered' && !person.excludedBy && !person.left)
  const message = await leaveByEmail(
    api,
    workspace,
    stack,
    { audienceId: people.audienceId, byButton: quiet[0]!, byLink: quiet[1]! },
    tell,
  )

  step('The report')
  const expected = expectedOf(people.all, 2)
  const report = await settledReport(api, workspace, run.id, expected.report, tell)
  const outcomes = ['delivered', 'hard_bounced', 'soft_failed_only', 'no_terminal_event']
  const sum = outcomes.reduce((total, name) => total + Number(report[name]), 0)
  const malformed = rows.filter((row) => row.malformed).length
  const tables = [
    table('what was put in', [
      { name: 'people', actual: people.all.length, expected: rows.length - malformed },
      { name: 'malformed rows refused', actual: people.refused, expected: malformed },
      { name: 'recipients in the snapshot', actual: run.included_count, expected: expected.included },
      { name: 'excluded from it', actual: run.excluded_count, expected: expected.excluded },
    ]),
    table(
      'excluded, by reason',
      [...new Set([...Object.keys(expected.exclusions), ...Object.keys(run.exclusion_counts)])]
        .sort()
        .map((name) => ({ name, actual: run.exclusion_counts[name] ?? 0, expected: expected.exclusions[name] ?? 0 })),
    ),
    table(
      'report',
      Object.entries(expected.report).map(([name, value]) => ({ name, actual: report[name], expected: value })),
    ),
    table('the four outcomes', [{ name: 'sum to sent', actual: sum, expected: expected.report.sent }]),
  ]
  for (const { text } of tables) say(`\n${text}`)
  say(
    `\n  delivery rate ${report.delivery_rate} %, bounce rate ${report.bounce_rate} %, raw events ${JSON.stringify(report.events)}`,
  )

  const traceId = message.variables.traceparent?.split('-')[1]
  step('Where to look now')
  tell(`API            ${stack.base_url}/api/v1, documentation ${stack.base_url}/docs`)
  tell(`inbox          ${stack.provider_url} (every message that arrived)`)
  tell(`one message's trace, from the HTTP request to the provider: ${traceId ?? 'none'}`)
  if (stack.traces_url && traceId) tell(`               ${stack.traces_url}/traces/${traceId}`)
  tell(
    `report         ${stack.base_url}${workspace}/campaign-runs/${run.id}/report (Authorization: Bearer wallet-session-dev-owner)`,
  )
  tell(`the stack stays up; "make down" stops it and keeps its data`)
  await api.close()

  const wrong = tables.reduce((total, { mismatches }) => total + mismatches, 0) + (traceId ? 0 : 1)
  step(wrong === 0 ? 'Every number is the expected one.' : `${wrong} numbers are not what was put in.`)
  return wrong === 0 ? 0 : 1
}

try {
  process.exit(await demo())
} catch (error) {
  process.stderr.write(`\nThe demo could not go on: ${(error as Error).message}\n`)
  process.exit(1)
}
