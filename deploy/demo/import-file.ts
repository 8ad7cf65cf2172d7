import { setTimeout as sleep } from 'node:timers/promises'
import type { LauncherConfig } from '@lettergate/local/launcher/config'
import { isRunning } from '@lettergate/local/launcher/run-process'
import { planOf, startAgain } from '@lettergate/local/launcher/running'
import type { Stack } from '@lettergate/local/launcher/state'
import { openApi, signInAs, type Api } from './api.ts'
import { fileNumbers, peopleFile } from './people-file.ts'
import { refusalsOf, refusePeople } from './refused-people.ts'
import type { ReportRow } from './table.ts'

/** No sender of this workspace is ever activated. */
const names = 'acme/product'
const workspace = '/api/v1/organizations/acme/workspaces/product'
const atConsole = '/console/api/organizations/acme/workspaces/product'
const token = { authorization: 'Bearer wallet-session-dev-owner' }

/** A lost worker is replaced after this time. Usually it is half a minute. */
export const importSettings = { IMPORT_LEASE_SECONDS: '10' }

interface Import {
  id: string
  status: string
  payload_retained: boolean
  report: {
    progress?: { phase: string; rows_done: number }
    applied?: Record<string, number>
    reconciliation?: { actual: Record<string, number>; matches: boolean }
  } & Record<string, unknown>
  error: { message: string } | null
}

interface Importing {
  api: Api
  stack: Stack
  config: LauncherConfig
  audienceId: string
  print: (line: string) => void
}

/**
 * Imports a file that lists as subscribed 100 people who left, bounced, complained, objected or were erased. The worker is killed
 * during the apply and started again. Needs closed gates, so it runs before anything can send.
 */
export async function importFile(
  config: LauncherConfig,
  stack: Stack,
  round: number,
  print: (line: string) => void,
): Promise<ReportRow[]> {
  const api = openApi(stack.base_url, token)
  const browser = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  print(`imports are applied only while nothing can send: the ceilings are closed, and ${names} has no sender`)
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: `Imported newsletter ${round}`,
    slug: `imported-newsletter-${round}`,
    purpose: 'People of an older list',
  })
  const importing: Importing = { api, stack, config, audienceId: audience.id, print }
  const refused = await refusePeople({ api, browser, workspace, atConsole, round }, audience.id)
  const refusals = () => refusalsOf({ api, workspace }, refused, audience.id)
  const before = { refusals: await refusals(), members: await members(importing) }
  print(`${refused.length} subscribers unsubscribed, bounced, complained, objected or were erased, 20 each`)

  const file = peopleFile(
    refused.map(({ email }) => email),
    round,
  )
  const reviewed = await dryRun(importing, file)
  const afterDryRun = await members(importing)
  const unapproved = await api.call('POST', `${pathOf(reviewed)}/approve`, { confirmation: 'yes' })
  print(`approving needs the exact text: “${unapproved.text}”`)
  const done = await applyWithKill(importing, reviewed, before.members)
  const after = { refusals: await refusals(), members: await members(importing) }
  await Promise.all([api.close(), browser.close()])

  const { report } = reviewed
  const { applied, reconciliation } = done.report
  const same = after.refusals.filter((reasons, index) => reasons === before.refusals[index]).length
  const mailable = (reasons: readonly string[]) => reasons.filter((reason) => reason === '').length
  print(
    mailable(after.refusals) === 0
      ? `nobody came back: the ${refused.length} people are refused for the same reasons as before`
      : `${mailable(after.refusals)} PEOPLE CAME BACK`,
  )
  return [
    { name: 'rows of the file', actual: report['rows_total'], expected: fileNumbers.rows },
    { name: 'dry run: rows that cannot be read', actual: report['rows_invalid'], expected: fileNumbers.invalid },
    { name: 'dry run: repeated addresses', actual: report['duplicate_rows'], expected: fileNumbers.duplicates },
    { name: 'dry run: people who stay refused', actual: report['blocked_by_suppression'], expected: refused.length },
    { name: 'dry run: consents to record', actual: report['consent_to_record'], expected: fileNumbers.newPeople },
    { name: 'members added by the dry run', actual: afterDryRun - before.members, expected: 0 },
    { name: 'approval with another text', actual: unapproved.status, expected: 422 },
    { name: 'status, although the worker was killed', actual: done.status, expected: 'completed' },
    { name: 'contacts added', actual: applied?.['contacts_new'], expected: fileNumbers.newPeople },
    {
      name: 'consents in the consent record',
      actual: reconciliation?.actual['consents_in_record'],
      expected: fileNumbers.newPeople,
    },
    { name: 'members added', actual: after.members - before.members, expected: fileNumbers.newPeople },
    { name: 'report and tables are equal', actual: reconciliation?.matches, expected: true },
    { name: 'the file is kept', actual: done.payload_retained, expected: false },
    { name: 'refused people who could get email before', actual: mailable(before.refusals), expected: 0 },
    { name: 'refused people who can get email now', actual: mailable(after.refusals), expected: 0 },
    { name: 'refused for the same reasons as before', actual: same, expected: refused.length },
  ]
}

const pathOf = ({ id }: Pick<Import, 'id'>) => `${workspace}/imports/csv/${id}`

const members = async ({ api, audienceId }: Importing): Promise<number> =>
  (await api.ok<{ audience: { active_member_count: number } }>('GET', `${workspace}/audiences/${audienceId}`)).audience
    .active_member_count

const read = async ({ api }: Importing, given: Pick<Import, 'id'>): Promise<Import> =>
  (await api.ok<{ import: Import }>('GET', pathOf(given))).import

/** Waits at most five minutes. */
async function when(
  importing: Importing,
  given: Pick<Import, 'id'>,
  isReached: (now: Import) => boolean,
): Promise<Import> {
  for (const end = Date.now() + 300_000; ; await sleep(5)) {
    const now = await read(importing, given)
    if (now.error) throw new Error(`the import failed: ${now.error.message}`)
    if (isReached(now) || Date.now() > end) return now
  }
}

async function dryRun(importing: Importing, file: string): Promise<Import> {
  const { api, stack, audienceId, print } = importing
  const form = new FormData()
  form.set('audience_id', audienceId)
  form.set('source_label', 'an older list')
  form.set('file', new Blob([file], { type: 'text/csv' }), 'people.csv')
  const answer = await fetch(`${stack.base_url}${workspace}/imports/csv`, {
    method: 'POST',
    headers: token,
    body: form,
  })
  if (answer.status !== 201) throw new Error(`the upload answered ${answer.status}: ${await answer.text()}`)
  const { import: uploaded } = (await answer.json()) as { import: Import }
  await api.ok('PATCH', `${pathOf(uploaded)}/mapping`, {
    mapping: { Email: 'email', 'First name': 'first_name', State: 'status' },
    consent_policy: 'status_column',
    policy: { status_values: { active: 'subscribed' }, consent_source: 'sign-up form of the older list' },
  })
  const reviewed = await when(importing, uploaded, ({ status }) => status === 'ready_for_review')
  print('uploaded, mapped and evaluated by a dry run')
  return reviewed
}

/** Kills the worker when the first rows are applied. It may have ended before: the numbers must be the same. */
async function applyWithKill(importing: Importing, reviewed: Import, membersBefore: number): Promise<Import> {
  const { api, stack, config, print } = importing
  await api.ok('POST', `${pathOf(reviewed)}/approve`, {
    confirmation: `APPLY CSV IMPORT ${reviewed.id} TO ${names}`,
  })
  const seen = await when(
    importing,
    reviewed,
    ({ status, report: { progress } }) =>
      status === 'completed' || (progress?.phase === 'contacts' && progress.rows_done > 0),
  )
  const worker = stack.processes.find(({ name, role }) => name === 'imports' && role === 'worker')!
  const { pid } = worker
  if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  while (isRunning(pid)) await sleep(20)
  const added = (await members(importing)) - membersBefore
  print(
    seen.status === 'completed'
      ? `this machine completed the apply before the worker (pid ${pid}) was killed`
      : `the worker (pid ${pid}) was killed when ${added} of ${fileNumbers.newPeople} people were added`,
  )
  startAgain(config, stack, worker, planOf(config, stack, 'imports-worker'))
  print(`it runs again as pid ${worker.pid} and continues when the lease of the killed one ends`)
  return when(importing, reviewed, ({ status }) => status === 'completed')
}
