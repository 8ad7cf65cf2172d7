import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, signInAs, type Api } from '@lettergate/demo/api'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { fillAudience } from '@lettergate/load/audience'
import { headers, workspace } from '@lettergate/load/bench'
import { schedule } from '@lettergate/load/campaigns'
import { providerStats, configureProvider } from '@lettergate/load/provider'
import type { Stack } from '@lettergate/local/launcher/state'
import { until } from '@lettergate/stage/until'
import { differences, reportDifferences, type Findings } from './differences.ts'
import { addressesOf, suffixSql } from './mixed-people.ts'
import type { FaultOptions } from './options.ts'
import type { Kill } from './plan-kills.ts'
import { readLedger, readList, readReport } from './read-back.ts'
import { kill, type Killable } from './victims.ts'

const audienceSlug = 'faults'
/** calls of one connection that are under way at once, unless set otherwise */
const callsAtOnce = 16
const secondsAKill = 3
const runSecondsMin = 30
/** The share of the calls whose events the provider keeps back until the run is completed: nobody can know until then what a dead worker has sent. */
const heldShare = 0.5
const latencyMs = 20
const minute = 60_000

export interface KilledRunResult {
  killsDone: number
  sendingSeconds: number
  findings: Findings
  differences: string[]
}

/** Recipients of one call to the provider: fewer in a short run, so that it has enough calls for its kills. */
export const batchSizeFor = ({ recipients }: FaultOptions): number => Math.min(100, Math.ceil(recipients / 400))

/** How long the provider takes to answer after it has accepted a call, so that the run lasts long enough and most kills leave calls whose end nobody knows. */
const answerAfterMs = (options: FaultOptions): number => {
  const runSeconds = Math.max(runSecondsMin, secondsAKill * options.kills)
  const wanted = (callsAtOnce * batchSizeFor(options) * runSeconds * 1_000) / options.recipients
  return Math.round(Math.min(2_000, Math.max(200, wanted)))
}

/** Sends one campaign while parts of the stack are killed, and finds out what became of everybody. */
export async function killedRun(
  killable: Killable,
  options: FaultOptions,
  { kills, say }: { kills: readonly Kill[]; say: (line: string) => void },
): Promise<KilledRunResult> {
  const { stack, database } = killable
  const print = (line: string) => say(`  ${line}`)
  const api = openApi(stack.base_url, headers)
  const { senderId } = await prepareSending(api, workspace, stack, print)
  const browser = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  const { recipients } = options
  const people = { slug: audienceSlug, members: recipients, suffix: suffixSql }
  const audienceId = await fillAudience({ api, database: database, print: print }, people)
  await configureProvider(stack, 'faults', {
    mode: 'none',
    latency_ms: latencyMs,
    answer_after_ms: answerAfterMs(options),
  })
  await configureProvider(stack, 'events', { held_share: heldShare })
  print(`the provider answers ${answerAfterMs(options)} ms after it has accepted ${batchSizeFor(options)} messages`)

  const { run } = await schedule({ api, stack, senderId }, { audienceId, inSeconds: 5 })
  if (run.included_count !== recipients) throw new Error(`the run has ${run.included_count} of ${recipients} people`)
  const path = `${workspace}/campaign-runs/${run.id}`
  say(`run ${run.id} of ${recipients}`)
  const isOver = () => isCompleted(api, path)
  await until(async () => (await acceptedBy(killable)) > 0, {
    timeoutMs: 2 * minute,
    what: 'the first message to be handed over',
  })
  const began = performance.now()
  const killsDone = await killAll(killable, { kills, recipients, isOver, print })
  const killed = performance.now()
  await configureProvider(stack, 'faults', { mode: 'none' })
  const stuck = await problemOf(
    until(isOver, { timeoutMs: 15 * minute, everyMs: 1_000, what: 'the run to be completed' }),
  )
  const sendingSeconds = (performance.now() - began) / 1_000
  print(`the run is ${stuck.length === 0 ? 'completed' : 'STUCK'}, ${seconds(killed)} s after the last kill`)
  await configureProvider(stack, 'events', { held_share: 0 })

  const findings = await settled({ api, browser, path, stack, print }, addressesOf(audienceSlug, recipients))
  await Promise.all([api.close(), browser.close()])
  return { killsDone, sendingSeconds, findings, differences: [...stuck, ...differences(findings)] }
}

const acceptedBy = async ({ stack }: Killable) => (await providerStats(stack)).recipients

/** What went wrong, if anything: whatever it was, everything is read afterwards. */
const problemOf = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    (error: unknown) => [(error as Error).message],
  )

interface Killing {
  kills: readonly Kill[]
  recipients: number
  isOver: () => Promise<boolean>
  print: (line: string) => void
}

/** Kills in the order of the plan while the run is under way; answers how many of them it could do. */
async function killAll(killable: Killable, { kills, recipients, isOver, print }: Killing): Promise<number> {
  const began = performance.now()
  for (const [index, { victim, atShare, delayMs }] of kills.entries()) {
    const share = atShare * recipients
    let isRunOver = false
    const stalled = await problemOf(
      until(async () => (await acceptedBy(killable)) >= share || (isRunOver = await isOver()), {
        timeoutMs: 5 * minute,
        everyMs: 200,
        what: `${Math.round(share)} messages to be handed over`,
      }),
    )
    for (const problem of stalled) print(`NO PROGRESS: ${problem}`)
    if (isRunOver || stalled.length > 0) return index
    await sleep(delayMs)
    const done = await kill(killable, victim)
    const accepted = await acceptedBy(killable)
    print(`kill ${index + 1} of ${kills.length}, ${seconds(began)} s, ${accepted} handed over: ${victim}, ${done}`)
  }
  return kills.length
}

/** Services that were just killed may refuse: then nobody knows, and it is not over. */
async function isCompleted(api: Api, path: string): Promise<boolean> {
  const { json } = await api.call('GET', path)
  const state = (json['campaign_run'] as { state: string } | undefined)?.state
  if (state !== undefined && !['scheduled', 'sending', 'completed'].includes(state))
    throw new Error(`the run became ${state}`)
  return state === 'completed'
}

interface Reading {
  api: Api
  browser: Api
  path: string
  stack: Stack
  print: (line: string) => void
}

/** Waits until the provider's events are told and the report has them all, at most some minutes, and reads everything. */
async function settled({ api, browser, path, stack, print }: Reading, included: string[]): Promise<Findings> {
  const began = performance.now()
  const untold = await problemOf(
    until(async () => (await providerStats(stack)).events.pending === 0, {
      timeoutMs: 15 * minute,
      everyMs: 500,
      what: 'the provider to have told all its events',
    }),
  )
  for (const problem of untold) print(problem)
  const { givenUp } = (await providerStats(stack)).events
  print(
    `the provider has told its events, ${seconds(began)} s later${givenUp > 0 ? `; ${givenUp} IT COULD NOT TELL` : ''}`,
  )
  const mailed = await readLedger(stack)
  const read = async () => ({
    included,
    mailed,
    listed: await readList(browser, path.replace('/api/v1', '/console/api')),
    report: await readReport(api, path),
  })
  let last = await read()
  // a second message to one person makes every report wrong, so waiting is useless
  const isDuplicated = new Set(mailed.map(({ messageId }) => messageId)).size < mailed.length
  const end = performance.now() + (isDuplicated ? 0 : 3 * minute)
  while (reportDifferences(last).length > 0 && performance.now() < end) {
    await sleep(3_000)
    last = await read()
  }
  print(`the report was read ${seconds(began)} s after the end of the run`)
  return last
}

const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1)
